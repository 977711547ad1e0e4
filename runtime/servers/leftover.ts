import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandOf } from './process_table.ts'

/**
 * Stops a server left behind by a killed process, and removes its pid file. Touches only a process whose command line
 * holds `mark` (the path of this data directory): after a reboot any process may have the pid.
 */
export async function stopLeftover(pid_file: string, mark: string, signal: NodeJS.Signals): Promise<void> {
  const pid = readPid(pid_file)
  if (pid === null) return
  const alive = () => commandOf(pid)?.includes(mark) === true
  for (const [step, patience_ms] of [
    [signal, 20_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!alive()) break
    process.kill(pid, step)
    for (const end = Date.now() + patience_ms; alive() && Date.now() < end; ) await sleep(10)
  }
  rmSync(pid_file, { force: true })
}

function readPid(pid_file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(pid_file, 'utf8'), 10)
    return pid > 1 ? pid : null
  } catch {
    return null
  }
}
