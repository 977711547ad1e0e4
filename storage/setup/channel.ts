import { auditRecord, snapshot } from '../audit/audit_record.ts'
import type { Database } from '../database/database.ts'
import { Channel } from '../entities/mod.ts'
import { projectNamed } from './access/project.ts'
import { changeRecord, type NewColumns, named, stamped } from './records.ts'
import { removeRecord } from './removal.ts'

/** Secrets by name, before encryption. */
export type Credentials = Record<string, string>

type NewChannel = Omit<
  NewColumns<Channel>,
  'company_id' | 'credentials' | 'callbacks_heard_at' | 'ignored_callbacks'
> & {
  _id: string
}
type ChannelFields = Partial<Pick<Channel, 'name' | 'is_active' | 'messages_per_second'>>
/** New credentials, with the columns that depend on them. */
type Renewal = Partial<Pick<Channel, 'status' | 'status_reason'>> & {
  credentials: Credentials
  provider_account_id: string | null
}

/** @throws {VaultError} when the credentials were sealed with another secret */
export function credentialsOf(
  { vault }: Database,
  { _id, credentials }: Pick<Channel, '_id' | 'credentials'>,
): Credentials {
  return credentials ? JSON.parse(vault.open(_id, 'credentials', credentials)) : {}
}

function sealed({ vault }: Database, _id: string, credentials: Credentials): string {
  return vault.seal(_id, 'credentials', JSON.stringify(credentials))
}

/**
 * @throws {ChangeRefused} PROJECT_NOT_FOUND
 * @throws {ConstraintViolation} when the account is connected already
 */
export function storeChannel(database: Database, input: NewChannel, credentials: Credentials): Promise<Channel> {
  return named(() =>
    database.em().transactional(async (em) => {
      const { company_id } = await projectNamed(em, input.project_id)
      const own = {
        company_id,
        credentials: sealed(database, input._id, credentials),
        callbacks_heard_at: null,
        ignored_callbacks: null,
      }
      const row = em.create(Channel, { ...stamped(input), ...own })
      await auditRecord(database, em, Channel, { after: snapshot(database, Channel, row) })
      return row
    }),
  )
}

/**
 * @param renew returns new credentials made from the present ones, and throws when the result is invalid
 * @throws {ChangeRefused} NOT_FOUND
 * @throws {ConstraintViolation} when the account is connected already
 */
export function changeChannel(
  database: Database,
  _id: string,
  changes: ChannelFields,
  renew?: (channel: Channel, present: Credentials) => Renewal,
): Promise<Channel> {
  return changeRecord(database, Channel, _id, (row) => {
    Object.assign(row, changes)
    if (!renew) return
    const { credentials, ...following } = renew(row, credentialsOf(database, row))
    Object.assign(row, following, { credentials: sealed(database, _id, credentials) })
  })
}

/** @throws {StillHeld} by queued messages */
export function removeChannel(database: Database, _id: string): Promise<void> {
  return removeRecord(database, 'channel', _id)
}

type KeptChannel = Omit<
  NewColumns<Channel>,
  'credentials' | 'status' | 'status_reason' | 'callbacks_heard_at' | 'ignored_callbacks'
> & {
  _id: string
  credentials: Credentials
}

/** Connects missing channels, and renews the credentials of all. Changed names and switches stay. */
export async function keepChannels(database: Database, kept: KeptChannel[]): Promise<Channel[]> {
  const connected = {
    status: 'connected' as const,
    status_reason: null,
    callbacks_heard_at: null,
    ignored_callbacks: null,
  }
  const rows = kept.map(({ credentials, ...fields }) => {
    return { ...stamped(fields), ...connected, credentials: sealed(database, fields._id, credentials) }
  })
  const renewed = ['credentials', 'status', 'status_reason'] as const
  await database.em().upsertMany(Channel, rows, { onConflictFields: ['_id'], onConflictMergeFields: [...renewed] })
  return rows
}
