import { setTimeout as sleep } from 'node:timers/promises'

/** What kept the process alive before any test ran: the pipes to the test runner. */
const before = process.getActiveResourcesInfo()

/** How long a socket or child may take to be gone after it was closed. */
const PATIENCE_MS = 2_000

/**
 * Fails the test file when it leaves something that keeps the process alive: a pool, a timer, a socket, a server, a
 * child process. Without this such a file would hang until the runner's time-out and name nothing.
 */
export async function failOnLeaks(): Promise<void> {
  let left = leaked()
  for (const end = Date.now() + PATIENCE_MS; left.length > 0 && Date.now() < end; left = leaked()) await sleep(10)
  if (left.length === 0) return
  process.stderr.write(`${process.argv[1]} left open after its last test: ${left.join(', ')}\n`)
  process.exit(1)
}

function leaked(): string[] {
  const now = process.getActiveResourcesInfo()
  for (const resource of before) {
    const index = now.indexOf(resource)
    if (index >= 0) now.splice(index, 1)
  }
  return now
}
