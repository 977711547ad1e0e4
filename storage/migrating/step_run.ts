import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Sql } from '../sql/sql.ts'
import type { MigrationSession } from './session.ts'

/** Receives progress lines for operators. A logger's `info` will do. */
export type MigrationLog = (fields: object, message: string) => void

/** Context shared by all steps of a call. */
export type Run = {
  session: MigrationSession
  /** Used to observe the session from another connection. */
  database: Database
  log: MigrationLog
  signal: AbortSignal | undefined
  patience_ms: number
  say_ms: number
}

/** Progress of a migration: the next step and, for batches, the last key done, the last key to do, and the rows so far. */
export type Progress = { step: number; done_up_to: string | null; last: string | null; rows: number }

/** A step under way. */
export type StepRun = Run & {
  migration: string
  /** Name of the step in errors. */
  label: string
  progress: Progress
  /** Statements that record the step as done. */
  done: Sql
}

/** Lock timeout; deadlock. */
const IN_USE = new Set(['55P03', '40P01'])

/** `message` is a sentence that tells the operator what to do. */
export class TablesInUse extends Error {
  override name = 'TablesInUse'
}

/**
 * Retries work while other sessions use a table that it needs.
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
