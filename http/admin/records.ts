/** Records as operators read and change them, with the errors for changes that storage refuses. */
import type { ErrorCode } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  ChangeRefused,
  ConstraintViolation,
  type Database,
  type EntityRef,
  isObjectId,
  findRecord as readRecord,
  StillHeld,
} from '../../storage/mod.ts'

type Identified = { _id: string }

/**
 * The record in a path.
 * @throws {Refusal} NOT_FOUND when the id is malformed or unknown
 */
export async function findRecord<Row extends Identified>(
  database: Database,
  entity: EntityRef<Row>,
  _id: string | undefined,
): Promise<Row> {
  const row = _id && isObjectId(_id) ? await readRecord(database, entity, _id) : undefined
  if (!row) throw new Refusal('NOT_FOUND')
  return row
}

/**
 * The result of a change.
 * @throws {Refusal} for a change that storage refuses, and for a broken constraint that has an error code
 */
export async function explained<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    if (error instanceof StillHeld) throw inUse(error)
    if (error instanceof ChangeRefused)
      throw new Refusal(error.code, { message: sentences[error.code], details: error.details })
    const code = error instanceof ConstraintViolation ? meanings[error.constraint] : undefined
    throw code ? new Refusal(code) : error
  }
}

function inUse({ noun, held_by }: StillHeld): Refusal {
  const nouns = Object.entries(held_by).map(([nouns, count]) => counted(count, nouns.replaceAll('_', ' ')))
  const advice = advices[noun] ?? 'Delete or revoke them first.'
  const message = `This ${noun} still has ${nouns.join(', ') || 'records that need it'}. ${advice}`
  return new Refusal('IN_USE', { message, details: { held_by } })
}

/** Such as "2 ledger entries" and "1 ledger entry". */
function counted(count: number, nouns: string): string {
  return `${count} ${count === 1 ? nouns.replace(/ies$/, 'y').replace(/s$/, '') : nouns}`
}

/** Advice for the operator, by the noun of the record to delete. */
const advices: Record<string, string> = {
  customer:
    'Unlink contacts first (PATCH /v1/contacts/{id} with "customer_id": null), and delete memberships (DELETE /admin/v1/memberships/{id}).',
  user: 'Revoke the tokens and give the tickets to others first, or deactivate the user with "is_active": false.',
  membership: 'Movements are corrected by further ones; with_ledger=true erases them with the membership.',
  program: 'Switch it off with "is_active": false, or delete them first.',
  'custom field': 'Take it out of their fields and rules first.',
  tag: 'Take it out of their rules first.',
  pipeline: 'Move or close them first.',
  stage: 'Move or close them first.',
}

/** Refusals in other words than the catalogue's. */
const sentences: Partial<Record<string, string>> = {
  INSUFFICIENT_ROLE:
    'Users with the permission console.operator are created and changed with an operator key only: /admin/v1/users.',
}

const meanings: Record<string, ErrorCode> = {
  project_company_id_fkey: 'COMPANY_NOT_FOUND',
  user_company_id_fkey: 'COMPANY_NOT_FOUND',
  token_project_id_fkey: 'PROJECT_NOT_FOUND',
  token_user_id_fkey: 'USER_NOT_FOUND',
  channel_project_id_fkey: 'PROJECT_NOT_FOUND',
  user_email: 'USER_ALREADY_EXISTS',
  channel_account: 'CHANNEL_ALREADY_EXISTS',
  customer_company_id_fkey: 'COMPANY_NOT_FOUND',
  tag_project_id_fkey: 'PROJECT_NOT_FOUND',
  pipeline_project_id_fkey: 'PROJECT_NOT_FOUND',
  event_type_key: 'EVENT_TYPE_ALREADY_EXISTS',
  custom_field_key: 'CUSTOM_FIELD_ALREADY_EXISTS',
  tag_name: 'TAG_ALREADY_EXISTS',
  operator_key_name: 'OPERATOR_KEY_ALREADY_EXISTS',
}
