import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The command line of a process, or null when it is gone (a zombie counts as gone). */
export function commandOf(pid: number): string | null {
  if (process.platform !== 'linux') return ps(pid, 'args=')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || null
  } catch {
    return null
  }
}

/** Start time of a process, in the system's own notation. With the pid it identifies one process, even after pids are reused. */
export function birthOf(pid: number): string | null {
  if (process.platform !== 'linux') return ps(pid, 'lstart=')
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Fields are counted from behind the command, which may hold blanks and brackets: field 3 is the state, 22 the
    // start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

/** The processes that a process has started and that have not ended. */
export function childrenOf(pid: number): number[] {
  if (process.platform !== 'linux')
    return processes()
      .filter(({ parent }) => parent === pid)
      .map(({ pid }) => pid)
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function ps(pid: number, column: string): string | null {
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() || null
  } catch {
    return null
  }
}

function processes(): { pid: number; parent: number }[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', stdio: 'pipe' }).trim().split('\n')
  return rows.map((row) => {
    const [pid, parent] = row.trim().split(/ +/)
    return { pid: Number(pid), parent: Number(parent) }
  })
}
