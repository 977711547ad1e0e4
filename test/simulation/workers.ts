/** Histories in several processes. */
import { fork } from 'node:child_process'
import type { Verdict } from './history.ts'
import type { Task, Told } from './worker.ts'

export type Heard = { progress?(done: number, events: number): void; found(verdict: Verdict): void }

/**
 * Runs a task in a process, with a mutant when one is named. Resolves when the task is over. Rejects when the process
 * ends before.
 */
export function runWorker(task: Task, heard: Heard, mutant?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = fork(new URL('worker.ts', import.meta.url), {
      execArgv: ['--max-semi-space-size=64', '--import', new URL('load_mutant.ts', import.meta.url).href],
      env: { ...process.env, PARLEY_MUTANT: mutant },
    })
    worker.on('message', (told: Told) => {
      if ('over' in told) resolve()
      else if ('found' in told) heard.found(told.found)
      else heard.progress?.(told.done, told.events)
    })
    worker.once('error', reject)
    worker.once('exit', (code, signal) => reject(new Error(`a worker ended with ${signal ?? code}`)))
    worker.send(task)
  })
}
