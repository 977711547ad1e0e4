import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database.ts'
import type { MigrationSession } from './session.ts'

/** Takes the lines that tell an operator how far it is. A logger's `info` will do. */
export type MigrationLog = (fields: object, message: string) => void

/** What all steps of a call share. */
export type Run = {
  session: MigrationSession
  /** For a look from outside at what the session does. */
  database: Database
  log: MigrationLog
  signal: AbortSignal | undefined
  patience_ms: number
  say_ms: number
}

/** How far a migration is: the step to be done and, of batches, the last key done, the last to be done, and the rows so far. */
export type Progress = { step: number; done_up_to: string | null; last: string | null; rows: number }

/** A step under way. */
export type StepRun = Run & {
  migration: string
  /** Names the step in errors. */
  label: string
  progress: Progress
  /** The statements by which the step is noted as done. */
  done: string
}

/** The wait for a lock is over; a deadlock. */
const IN_USE = new Set(['55P03', '40P01'])

/** `message` is a sentence that says what to do. */
export class TablesInUse extends Error {
  override name = 'TablesInUse'
}

/**
 * Tries work again while others use what it needs.
 *
 * @throws {TablesInUse} when they still do after `patience_ms`
 */
export async function patiently<Result>(run: StepRun, again_ms: number, work: () => Promise<Result>): Promise<Result> {
  for (const end = performance.now() + run.patience_ms; ; await pause(again_ms, undefined, { signal: run.signal })) {
    try {
      return await work()
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      if (!IN_USE.has(code ?? '')) throw error
      if (performance.now() > end) {
        const text = `${run.label}: a table that has to be changed is in use all the time (${message}): let backups and long queries end, then start again.`
        throw new TablesInUse(text, { cause: error })
      }
      run.log({ migration: run.migration, step: run.progress.step + 1, again_ms }, `a table is in use: ${message}`)
    }
  }
}
