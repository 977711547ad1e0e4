/** Runs histories in a process of its own, one after the other, and reports to the process that started it. */
import { runHistory, type Verdict } from './history.ts'

export type Task = {
  seed: number
  step: number
  end: number
  only: readonly string[] | undefined
  until_found: boolean
}
export type Told = { done: number; events: number } | { found: Verdict } | { over: true }

const TELL_MS = 500

// Faults throw many errors, and nobody reads their stack traces.
Error.stackTraceLimit = 0

const unhandled: string[] = []
process.on('unhandledRejection', (reason) => unhandled.push(`unhandled: ${(reason as Error)?.stack ?? reason}`))

/** Turns a fault of the simulator itself into a finding: a history that did not reach its end proves nothing. */
function broken(seed: number, error: Error): Verdict {
  const findings = [`broken: the simulator failed: ${error.message}`]
  const early = { given: 0, fused: 0, retracted: 0 }
  return { seed, faults: [], findings, hash: '', events: 0, operations: 0, early, ms: 0, quiet_ms: 0, lines: [] }
}

process.on('message', async ({ seed, step, end, only, until_found }: Task) => {
  const tell = (told: Told) => process.send!(told)
  let [done, events, told_at] = [0, 0, performance.now()]
  for (let at = seed; at < end; at += step) {
    const verdict = await runHistory(at, { only }).catch((error) => broken(at, error as Error))
    verdict.findings.push(...unhandled.splice(0))
    done++
    events += verdict.events
    if (verdict.findings.length > 0) tell({ found: verdict })
    if (until_found && verdict.findings.length > 0) break
    if (performance.now() - told_at < TELL_MS) continue
    tell({ done, events })
    ;[done, events, told_at] = [0, 0, performance.now()]
  }
  tell({ done, events })
  tell({ over: true })
  process.disconnect()
})
