/** Processes that tests left behind. */
import { readdirSync, readFileSync } from 'node:fs'

/** Ends and names every process that still carries the directory of a run in its command or environment. Linux only. */
export function endStragglers(directory: string): number {
  if (process.platform !== 'linux') return 0
  const names = (path: string) => textOf(path).includes(directory)
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = pids.filter((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some(names))
  for (const pid of found) {
    process.stdout.write(`left running: ${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}\n`)
    process.kill(Number(pid), 'SIGKILL')
  }
  return found.length
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
