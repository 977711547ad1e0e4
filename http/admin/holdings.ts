import { type EntityName, type FilterQuery, ForeignKeyConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Refusal } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'

/** Counting stops here, so that refusing to delete a project of a million messages costs as little as one of none. */
const countedAtMost = 1000

/** Each kind of record that keeps its parent from being deleted: where to look, by the parent's id. */
const holders = {
  company: {
    projects: 'from project where company_id = ?',
    users: 'from "user" where company_id = ?',
  },
  project: {
    tokens: 'from token where project_id = ? and revoked_at is null and (expires_at is null or expires_at > now())',
    channels: 'from channel where project_id = ?',
    webhooks: 'from subscription where project_id = ? and deleted_at is null',
    contacts: 'from contact where project_id = ?',
    messages: 'from message where project_id = ?',
  },
  user: {
    tokens: 'from token where user_id = ? and revoked_at is null and (expires_at is null or expires_at > now())',
  },
  channel: {
    queued_messages: 'from dispatch where channel_id = ?',
  },
} as const

/**
 * Deletes a record unless others still need it. `alsoDelete` removes, in the same transaction, the dead rows that go
 * with it; a living one stored meanwhile makes the whole fail.
 *
 * @throws {Refusal} IN_USE with `details.held_by`: how many records of each kind (at most 1000 are counted)
 */
export async function deleteUnheld<Row extends { _id: string }>(
  database: Database,
  kind: keyof typeof holders,
  entity: EntityName<Row>,
  _id: string,
  alsoDelete: (em: SqlEntityManager) => Promise<unknown> = async () => {},
): Promise<void> {
  await refuseIfHeld(database, kind, _id)
  try {
    await database.em().transactional(async (em) => {
      await alsoDelete(em)
      await em.nativeDelete(entity, { _id } as FilterQuery<Row>)
    })
  } catch (error) {
    if (!(error instanceof ForeignKeyConstraintViolationException)) throw error
    await refuseIfHeld(database, kind, _id)
    throw new Refusal('IN_USE')
  }
}

/** The tokens that can never work again, by what they belonged to. */
export function deadTokens<Owner extends object>(owner: Owner) {
  return { ...owner, $or: [{ revoked_at: { $ne: null } }, { expires_at: { $lte: new Date() } }] }
}

async function refuseIfHeld(database: Database, kind: keyof typeof holders, id: string): Promise<void> {
  const counts = Object.entries(holders[kind]).map(
    ([noun, source]) => `'${noun}', (select count(*) from (select 1 ${source} limit ${countedAtMost}) as held)`,
  )
  const ids = counts.map(() => id)
  const [row] = await database.execute<{ held_by: Record<string, number> }>(
    `select json_build_object(${counts.join(', ')}) as held_by`,
    ids,
  )
  const held_by = Object.fromEntries(Object.entries(row?.held_by ?? {}).filter(([, count]) => count > 0))
  if (Object.keys(held_by).length === 0) return
  const nouns = Object.entries(held_by).map(([noun, count]) => `${count} ${noun.replaceAll('_', ' ')}`)
  throw new Refusal('IN_USE', {
    message: `This ${kind} still has ${nouns.join(', ')}. Delete or revoke them first.`,
    details: { held_by },
  })
}
