import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * `asking`: the request to the provider is under way. `requested`: the provider has taken it. `running`: messages are
 * arriving, or waiting to be stored. `declined`: the business does not share its history. `failed`: the provider refused,
 * or did not answer; the history may be asked for again.
 */
export const historyImportStatuses = ['asking', 'requested', 'running', 'completed', 'declined', 'failed'] as const
export type HistoryImportStatus = (typeof historyImportStatuses)[number]

/** The history of an account, once in the life of its pairing with the phone. */
export const HistoryImport = defineEntity({
  name: 'HistoryImport',
  tableName: 'history_import',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    channel_id: p.text(),
    status: p.text().$type<HistoryImportStatus>(),
    /** Imported messages and contacts emit events. */
    webhooks: p.boolean(),
    /** Null when it was asked for elsewhere. */
    requested_at: p.datetime(3).nullable(),
    /** The latest one of the provider's phases: 0 is the last day, 1 the last 90 days, 2 the last 180. */
    phase: p.integer().nullable(),
    /** Percent, as the provider reports it. */
    progress: p.integer(),
    /** Messages and names that have arrived and are not stored yet. */
    waiting_count: p.integer(),
    message_count: p.integer(),
    /** Messages that were here before. */
    known_count: p.integer(),
    /** Messages without an id or a person. */
    unreadable_count: p.integer(),
    /** Names of the phone's address book that were taken. */
    name_count: p.integer(),
    error: p.json<{ code: string; message: string }>().columnType('json').nullable(),
    completed_at: p.datetime(3).nullable(),
    /** The time at which the pairing ended. */
    ended_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type HistoryImport = InferEntity<typeof HistoryImport>
