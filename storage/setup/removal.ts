import { ForeignKeyConstraintViolationException, LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { auditRecord, snapshot } from '../audit/audit_record.ts'
import type { Database } from '../database.ts'
import { Channel, Company, Customer, LoyaltyProgram, Project, User } from '../entities/mod.ts'
import { lockIndex } from '../knowledge/index_documents.ts'
import type { EntityRef } from '../write_set.ts'
import { ChangeRefused, StillHeld } from './change_refused.ts'

/** Counting stops at this number, so that refusing to delete a project with a million messages costs little. */
const countedAtMost = 1000

const living = 'revoked_at is null and (expires_at is null or expires_at > now())'

type Kind = {
  entity: EntityRef
  table: string
  /** Tables of records that prevent the deletion, with the referring column. */
  holders: Record<string, string>
  /** Tables of dependent rows that are deleted with the record. */
  remains: string[]
}

const kinds = {
  company: {
    entity: Company,
    table: 'company',
    holders: {
      projects: 'project where company_id = ?',
      users: '"user" where company_id = ?',
      customers: 'customer where company_id = ?',
    },
    remains: ['customer_gram where company_id = ?'],
  },
  project: {
    entity: Project,
    table: 'project',
    holders: {
      tokens: `token where project_id = ? and ${living}`,
      channels: 'channel where project_id = ?',
      webhooks: 'subscription where project_id = ? and deleted_at is null',
      contacts: 'contact where project_id = ?',
      messages: 'message where project_id = ?',
      tickets: 'ticket where project_id = ?',
      broadcasts: 'broadcast where project_id = ?',
      appointments: 'appointment where project_id = ?',
      knowledge_nodes: 'knowledge_node where project_id = ? and is_active',
      loyalty_memberships: 'loyalty_membership where project_id = ?',
    },
    remains: [
      `token where project_id = ? and not (${living})`,
      'subscription where project_id = ? and deleted_at is not null',
      'knowledge_posting where number in (select number from knowledge_node where project_id = ? and not is_active)',
      'knowledge_node where project_id = ? and not is_active',
      'knowledge_reindex where project_id = ?',
      'knowledge_term where project_id = ?',
      'knowledge_word where project_id = ?',
    ],
  },
  user: {
    entity: User,
    table: '"user"',
    holders: {
      tokens: `token where user_id = ? and ${living}`,
      // They would show nobody, and yet be in no list of unassigned tickets.
      open_tickets: 'ticket where assigned_to = ? and not is_closed',
    },
    remains: [`token where user_id = ? and not (${living})`],
  },
  customer: {
    entity: Customer,
    table: 'customer',
    holders: {
      contacts: 'contact where customer_id = ?',
      loyalty_memberships: 'loyalty_membership where customer_id = ?',
    },
    remains: [],
  },
  program: {
    entity: LoyaltyProgram,
    table: 'loyalty_program',
    holders: { memberships: 'loyalty_membership where program_id = ?' },
    remains: [],
  },
  channel: {
    entity: Channel,
    table: 'channel',
    holders: { queued_messages: 'dispatch where channel_id = ?' },
    remains: [],
  },
} satisfies Record<string, Kind>

/**
 * Deletes a record unless others still refer to it. Fails as a whole when such a record is stored meanwhile.
 *
 * @throws {ChangeRefused} NOT_FOUND when another request has deleted it meanwhile
 * @throws {StillHeld} with the number of referring records of each kind (at most 1000 are counted)
 */
export async function removeRecord(database: Database, kind: keyof typeof kinds, _id: string): Promise<void> {
  const held_by = await countHolders(database.em(), kinds[kind], _id)
  if (held_by) throw new StillHeld(kind, held_by)
  try {
    await database.em().transactional(async (em) => {
      // An indexer that is at work would add rows again.
      if (kind === 'project') await lockIndex(em, _id)
      for (const rows of kinds[kind].remains) await em.execute(`delete from ${rows}`, [_id])
      const { entity }: Kind = kinds[kind]
      const row = await em.findOne(entity, { _id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!row) throw new ChangeRefused('NOT_FOUND')
      // No foreign key holds an assignee: tickets that were assigned meanwhile are seen once the row is locked.
      const held_meanwhile = await countHolders(em, kinds[kind], _id)
      if (held_meanwhile) throw new StillHeld(kind, held_meanwhile)
      await em.execute(`delete from ${kinds[kind].table} where _id = ?`, [_id])
      await auditRecord(database, em, entity, { before: snapshot(database, entity, row) })
    })
  } catch (error) {
    if (!(error instanceof ForeignKeyConstraintViolationException)) throw error
    throw new StillHeld(kind, (await countHolders(database.em(), kinds[kind], _id)) ?? {})
  }
}

async function countHolders(
  em: SqlEntityManager,
  { holders }: Kind,
  _id: string,
): Promise<Record<string, number> | undefined> {
  const counts = Object.entries(holders).map(
    ([noun, rows]) => `'${noun}', (select count(*) from (select 1 from ${rows} limit ${countedAtMost}) as held)`,
  )
  const ids = counts.map(() => _id)
  const [row] = await em.execute<{ found: Record<string, number> }[]>(
    `select json_build_object(${counts.join(', ')}) as found`,
    ids,
  )
  const held = Object.entries(row?.found ?? {}).filter(([, count]) => count > 0)
  return held.length > 0 ? Object.fromEntries(held) : undefined
}
