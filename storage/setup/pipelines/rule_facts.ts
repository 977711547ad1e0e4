import type { EntityManager } from '../../database/entity_manager.ts'
import { CustomField, type Pipeline, type StageRules, Tag, User } from '../../entities/mod.ts'

/** New rules of a stage. */
export type NewRules = {
  /** Place of the stage in the given list. */
  at: number
  rules: StageRules
  /** Users to whom the stage assigned before. They may stay, even when deactivated. */
  assigned_before: string[]
}

/** Stored records for the check of rules. They cannot be removed until the rules are written. */
export type RuleFacts = {
  ticket_fields: CustomField[]
  /** Active users of the company. */
  users: Set<string>
  /** Tags of the project. */
  tags: Set<string>
}

/** Throws when rules name missing records. */
export type CheckRules = (all: NewRules[], facts: RuleFacts) => void

export async function readRuleFacts(
  em: EntityManager,
  { company_id, project_id }: Pick<Pipeline, 'company_id' | 'project_id'>,
  all: NewRules[],
): Promise<RuleFacts> {
  const named = (key: 'assign_to' | 'add_tag_ids') => all.flatMap(({ rules }) => rules[key] ?? [])
  const ticket_fields = await em.find(CustomField, { company_id, owner: 'ticket' })
  const users = await em.find(User, { _id: named('assign_to'), company_id, is_active: true })
  const tags = await em.find(Tag, { _id: named('add_tag_ids'), project_id })
  return { ticket_fields, users: idsOf(users), tags: idsOf(tags) }
}

function idsOf(rows: { _id: string }[]): Set<string> {
  return new Set(rows.map(({ _id }) => _id))
}
