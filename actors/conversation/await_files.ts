import { setTimeout } from 'node:timers/promises'
import { areFilesComing, type Database } from '../../storage/mod.ts'
import type { Question } from '../assistants/mod.ts'

/** Milliseconds for files that are on their way, and between two looks. */
const MAX_MS = 5_000
const LOOK_MS = 200

/**
 * Waits for files of the person that are being fetched, so that an answer does not say that they are missing. True when the question
 * has to be read again.
 */
export async function awaitFiles(
  database: Database,
  project_id: string,
  { unreadable }: Pick<Question, 'unreadable'>,
  deadline_ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const missing = unreadable.flatMap(({ reason, media_id }) =>
    reason === 'not_fetched' && media_id !== null ? [media_id] : [],
  )
  if (missing.length === 0) return false
  const isComing = () => areFilesComing(database, project_id, missing)
  const until = performance.now() + Math.min(MAX_MS, deadline_ms / 4)
  while (!signal.aborted && performance.now() < until && (await isComing())) await setTimeout(LOOK_MS)
  return true
}
