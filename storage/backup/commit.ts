/**
 * The commit of a restore. An answer that is lost leaves it open whether the server has committed, and files may only be
 * removed when it has not.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'
import { BackupError, reasonOf } from './backup_error.ts'
import { mustHaveNoRows } from './empty_database.ts'

/** Nobody knows whether the rows are stored: nothing may be undone. */
export class OutcomeUnknown extends BackupError {}

/** Pause between two questions for the outcome. */
const LOOK_MS = 500

/**
 * Commits the transaction of the session, alone, and asks the server for the outcome when its answer is lost.
 *
 * @param patience_ms how long to ask
 * @throws the driver's error when nothing is committed
 * @throws {OutcomeUnknown}
 */
export async function commitExactly(database: Database, session: Session, patience_ms: number): Promise<void> {
  const [row] = await rowsOf<{ id: string }>(session, sql`select pg_current_xact_id()::text as id`)
  try {
    await rowsOf(session, sql`commit`)
  } catch (error) {
    // The server has answered: it has rolled back.
    if ((error as { severity?: string }).severity === 'ERROR') throw error
    const patience_end = performance.now() + patience_ms
    let outcome = await lookUp(database, row!.id, session.history)
    while (outcome === 'open' && performance.now() < patience_end) {
      await pause(LOOK_MS)
      outcome = await lookUp(database, row!.id, session.history)
    }
    if (outcome === 'aborted') throw error
    if (outcome === 'open') throw unknown(error)
  }
}

type Outcome = 'committed' | 'aborted' | 'open'

async function lookUp(database: Database, id: string, history: string | undefined): Promise<Outcome> {
  let session: Session | undefined
  try {
    session = await database.session()
    if (session.history !== history) return await afterPromotion(session)
    const [row] = await rowsOf<{ status: string | null }>(session, sql`select pg_xact_status(${id}) as status`)
    const { status } = row!
    return status === 'committed' || status === 'aborted' ? status : 'open'
  } catch {
    return 'open'
  } finally {
    session?.reset()
  }
}

/** A promoted standby may give the number of a lost transaction to another one. It was empty when nothing was committed. */
async function afterPromotion(session: Session): Promise<Outcome> {
  try {
    await mustHaveNoRows(session)
    return 'aborted'
  } catch (error) {
    if (error instanceof BackupError) return 'open'
    throw error
  }
}

function unknown(error: unknown): OutcomeUnknown {
  return new OutcomeUnknown(
    `The database did not answer the commit (${reasonOf(error)}), so it is not known whether the rows are stored. The files were kept. Run the command again when the database answers: if it says that the database is not empty, the rows are stored, and the nodes may start; otherwise give --shared-files, because the files are there.`,
    { cause: error },
  )
}
