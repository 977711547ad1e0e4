import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the processes, other than this one, whose command or environment contains `text`, with their commands. Linux
 * only.
 */
export function processesNaming(text: string): Map<number, string> {
  const found = new Map<number, string>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const command = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    if (command.includes(text) || textOf(`/proc/${pid}/environ`).includes(text)) found.set(pid, command)
  }
  return found
}

/** Returns an empty text for a process that has ended meanwhile, or belongs to somebody else. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
