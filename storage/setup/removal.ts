import { ForeignKeyConstraintViolationException, LockMode } from '@mikro-orm/core'
import { auditRecord, snapshot } from '../audit/audit_record.ts'
import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import type { EntityRef } from '../database/write_set.ts'
import { Channel, Company, Customer, LoyaltyProgram, Project, User } from '../entities/mod.ts'
import { lockIndex } from '../knowledge/index_documents.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { ChangeRefused, StillHeld } from './change_refused.ts'

/** Counting stops at this number, so that refusing to delete a project with a million messages costs little. */
const countedAtMost = 1000

const living = sql`revoked_at is null and (expires_at is null or expires_at > now())`

/** The rows that refer to a record: a table and a condition. */
type Rows = (_id: string) => Sql

type Kind = {
  entity: EntityRef
  table: string
  /** Tables of records that prevent the deletion, with the referring column. */
  holders: Record<string, Rows>
  /** Tables of dependent rows that are deleted with the record. */
  remains: Rows[]
}

const kinds = {
  company: {
    entity: Company,
    table: 'company',
    holders: {
      projects: (_id) => sql`project where company_id = ${_id}`,
      users: (_id) => sql`"user" where company_id = ${_id}`,
      customers: (_id) => sql`customer where company_id = ${_id}`,
    },
    remains: [(_id) => sql`customer_gram where company_id = ${_id}`],
  },
  project: {
    entity: Project,
    table: 'project',
    holders: {
      tokens: (_id) => sql`token where project_id = ${_id} and ${living}`,
      channels: (_id) => sql`channel where project_id = ${_id}`,
      webhooks: (_id) => sql`subscription where project_id = ${_id} and deleted_at is null`,
      contacts: (_id) => sql`contact where project_id = ${_id}`,
      messages: (_id) => sql`message where project_id = ${_id}`,
      tickets: (_id) => sql`ticket where project_id = ${_id}`,
      broadcasts: (_id) => sql`broadcast where project_id = ${_id}`,
      appointments: (_id) => sql`appointment where project_id = ${_id}`,
      knowledge_nodes: (_id) => sql`knowledge_node where project_id = ${_id} and is_active`,
      loyalty_memberships: (_id) => sql`loyalty_membership where project_id = ${_id}`,
    },
    remains: [
      (_id) => sql`token where project_id = ${_id} and not (${living})`,
      (_id) => sql`subscription where project_id = ${_id} and deleted_at is not null`,
      (_id) =>
        sql`knowledge_posting where number in (select number from knowledge_node where project_id = ${_id} and not is_active)`,
      (_id) => sql`knowledge_node where project_id = ${_id} and not is_active`,
      (_id) => sql`knowledge_reindex where project_id = ${_id}`,
      (_id) => sql`knowledge_term where project_id = ${_id}`,
      (_id) => sql`knowledge_word where project_id = ${_id}`,
    ],
  },
  user: {
    entity: User,
    table: 'user',
    holders: {
      tokens: (_id) => sql`token where user_id = ${_id} and ${living}`,
      // They would show nobody, and yet be in no list of unassigned tickets.
      open_tickets: (_id) => sql`ticket where assigned_to = ${_id} and not is_closed`,
    },
    remains: [(_id) => sql`token where user_id = ${_id} and not (${living})`],
  },
  customer: {
    entity: Customer,
    table: 'customer',
    holders: {
      contacts: (_id) => sql`contact where customer_id = ${_id}`,
      loyalty_memberships: (_id) => sql`loyalty_membership where customer_id = ${_id}`,
    },
    remains: [],
  },
  program: {
    entity: LoyaltyProgram,
    table: 'loyalty_program',
    holders: { memberships: (_id) => sql`loyalty_membership where program_id = ${_id}` },
    remains: [],
  },
  channel: {
    entity: Channel,
    table: 'channel',
    holders: { queued_messages: (_id) => sql`dispatch where channel_id = ${_id}` },
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
      for (const rows of kinds[kind].remains) await em.execute(sql`delete from ${rows(_id)}`)
      const { entity }: Kind = kinds[kind]
      const row = await em.findOne(entity, { _id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!row) throw new ChangeRefused('NOT_FOUND')
      // No foreign key holds an assignee: tickets that were assigned meanwhile are seen once the row is locked.
      const held_meanwhile = await countHolders(em, kinds[kind], _id)
      if (held_meanwhile) throw new StillHeld(kind, held_meanwhile)
      await em.execute(sql`delete from ${sql.id(kinds[kind].table)} where _id = ${_id}`)
      await auditRecord(database, em, entity, { before: snapshot(database, entity, row) })
    })
  } catch (error) {
    if (!(error instanceof ForeignKeyConstraintViolationException)) throw error
    throw new StillHeld(kind, (await countHolders(database.em(), kinds[kind], _id)) ?? {})
  }
}

async function countHolders(
  em: EntityManager,
  { holders }: Kind,
  _id: string,
): Promise<Record<string, number> | undefined> {
  const counts = Object.entries(holders).map(
    ([noun, rows]) => sql`${noun}, (select count(*) from (select 1 from ${rows(_id)} limit ${countedAtMost}) as held)`,
  )
  const [row] = await em.execute<{ found: Record<string, number> }[]>(
    sql`select json_build_object(${sql.join(counts, ', ')}) as found`,
  )
  const held = Object.entries(row?.found ?? {}).filter(([, count]) => count > 0)
  return held.length > 0 ? Object.fromEntries(held) : undefined
}
