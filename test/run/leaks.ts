import { setTimeout as sleep } from 'node:timers/promises'

/** Resources that keep the process alive before any test runs: the pipes to the test runner. */
let before = process.getActiveResourcesInfo()
let settings = settingsNow()

/** Takes what is open now as what was open before. */
export function beginToWatchLeaks(): void {
  before = process.getActiveResourcesInfo()
  settings = settingsNow()
}

/** Names the settings of the process that a test file changed and did not restore. The next file would have them. */
export function leftChanged(): string[] {
  const now = settingsNow()
  const names = new Set([...settings.keys(), ...now.keys()])
  return [...names].filter((name) => settings.get(name) !== now.get(name))
}

function settingsNow(): Map<string, unknown> {
  return new Map<string, unknown>([
    // The mapper sets variables of its own when it is loaded.
    ...Object.entries(process.env).filter(([name]) => !name.startsWith('MIKRO_ORM_')),
    ...Object.entries({ 'working directory': process.cwd(), fetch, setTimeout, 'Date.now': Date.now }),
  ])
}

/** Milliseconds that a socket or child process may take to disappear after it was closed. */
const PATIENCE_MS = 60_000

/**
 * Names what a test file leaves that keeps the process alive: a pool, a timer, a socket, a server, a child process.
 * Waits a moment for what is still closing.
 */
export async function leftOpen(): Promise<string[]> {
  let left = leaked()
  for (const end = Date.now() + PATIENCE_MS; left.length > 0 && Date.now() < end; left = leaked()) await sleep(10)
  return left
}

/** Fails a test file that runs alone. Without this it would hang until its time-out and name nothing. */
export async function failOnLeaks(): Promise<void> {
  const left = await leftOpen()
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
