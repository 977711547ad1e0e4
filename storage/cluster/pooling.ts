/** Finds a pooler in front of PostgreSQL that lends a client's connection to others between its transactions. */

import type { Session } from '../connections/session.ts'
import type { Database } from '../database/database.ts'

/** Another client may use the connection just then. */
const LOOKS = 3

const POOLED =
  'The pooler in DATABASE_URL shares connections between transactions (pool_mode=transaction), where locks and prepared statements of sessions are lost: set pool_mode=session for Parley.'

/** A sentence when sessions do not keep their connection; undefined when none was seen to lose it. Takes two connections. */
export async function warningOfPooling(database: Database): Promise<string | undefined> {
  const one = await database.session()
  try {
    const other = await database.session()
    try {
      for (let look = 0; look < LOOKS; look++) if (await losesConnection(one, other)) return POOLED
    } finally {
      await other.end()
    }
  } finally {
    await one.end()
  }
}

/** Two sessions that are open at the same time have one connection, or one of them has two in turn. */
async function losesConnection(one: Session, other: Session): Promise<boolean> {
  const before = await connectionOf(one)
  await other.query('begin')
  try {
    const held = await connectionOf(other)
    return held === before || (await connectionOf(one)) !== before
  } finally {
    await other.query('rollback')
  }
}

async function connectionOf(session: Session): Promise<unknown> {
  const { rows } = (await session.query('select pg_backend_pid() as pid')) as { rows: { pid: number }[] }
  return rows[0]!.pid
}
