/** The project's part of bulk sends: it creates the broadcast, and the contacts and messages of its slices. */

import { causeColumns, Unavailable } from '../../../runtime/mod.ts'
import { Broadcast, blank, countUnfinished, listPausedBroadcasts, readRows } from '../../../storage/mod.ts'
import { type BroadcastRecord, toBroadcastRecord } from '../../records/mod.ts'
import { findTemplate, wantTemplate } from '../templates/template_facts.ts'
import { templateWarnings } from '../templates/template_warnings.ts'
import { named } from '../turn/audit.ts'
import { emit } from '../turn/events.ts'
import type { Change, Feature, Receiver, Refresh } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { bulkSlice } from './bulk_slice.ts'

/** A bulk send whose recipients are stored. Applying it again changes nothing. */
export type CreateBroadcast = { type: 'create_broadcast' } & Pick<
  Broadcast,
  'id' | 'channel_id' | 'template_name' | 'language' | 'campaign_name' | 'total'
>

/** Maximum bulk sends of a project that are not finished: the recipients of each may take 10 MiB of the database. */
const MAX_UNFINISHED = 1000
/** Seconds. A number of the usual speed takes a minute for a bulk send. */
const WAIT_S = 60
const FULL = `The project has ${MAX_UNFINISHED} bulk sends that are not finished; go on when some have ended, or cancel some.`

/** Broadcasts that exist already, and the number of those that are not finished. */
const broadcastReads: ReadKind<Set<string>, { by_id: Map<string, Broadcast>; unfinished: number }> = {
  keys: () => new Set(),
  found: () => ({ by_id: new Map(), unfinished: 0 }),
  async read(found, ids, { database, state: { project_id } }) {
    for (const row of await readRows(database, Broadcast, { id: [...ids] })) found.by_id.set(row.id, row)
    found.unfinished = await countUnfinished(database, project_id)
  },
}

/**
 * Creates a bulk send. Returns its answer, with warnings about its template.
 * @throws {Unavailable} when too many bulk sends of the project are not finished
 */
const createBroadcast: Change<CreateBroadcast> = {
  audit: {
    target: 'broadcast',
    record(turn, id) {
      const row = turn.records.of(broadcastReads).by_id.get(id)
      return row && toBroadcastRecord(row)
    },
  },
  reads(reads, { id, channel_id, template_name: name, language }) {
    reads.of(broadcastReads).add(id)
    wantTemplate(reads, channel_id, { name, language })
  },
  apply(turn, { type: _, ...fields }, origin) {
    const broadcasts = turn.records.of(broadcastReads)
    const { company_id, project_id } = turn.state
    const { id, total } = fields
    const template = { name: fields.template_name, language: fields.language }
    const warnings = templateWarnings(template, findTemplate(turn, fields.channel_id, template))
    const answer = { broadcast_id: id, status: 'queued', total, warnings }
    if (broadcasts.by_id.has(id)) return answer
    if (broadcasts.unfinished >= MAX_UNFINISHED) throw new Unavailable(FULL, WAIT_S)
    broadcasts.unfinished++
    const counts = { pending_count: total, sent_count: 0, delivered_count: 0, read_count: 0, failed_count: 0 }
    const times = { created_at: turn.now, updated_at: turn.now }
    const progress = { status: 'queued' as const, taken_up: 0, handed_on: 0 }
    const user_id = origin?.actor_kind === 'user' ? origin.actor_id : null
    const sender_name = origin ? named(turn, origin).actor_name : null
    const row = blank(Broadcast, {
      ...fields,
      user_id,
      sender_name,
      company_id,
      project_id,
      ...progress,
      ...counts,
      ...times,
      ...causeColumns(turn.cause),
    })
    turn.insert(Broadcast, row)
    turn.live(project_id, () => ({ type: 'broadcast.progress', data: toBroadcastRecord(row) }))
    broadcasts.by_id.set(id, row)
    turn.tell(`broadcast/${id}`, { type: 'begin' })
    return answer
  },
}

/** From a broadcast: all its messages have their final answer. */
const broadcastEnded: Receiver<{ record: BroadcastRecord }> = {
  receive(turn, { record }) {
    emit(turn, `messages.broadcast.${record.status}`, record, null)
  },
}

/** From a broadcast: the cap on marketing leaves no room for it, or leaves room again. */
const broadcastPaused: Receiver<{ record: BroadcastRecord }> = {
  receive(turn, { record }) {
    emit(turn, `messages.broadcast.${record.paused_reason ? 'paused' : 'resumed'}`, record, null)
  },
}

/** Paused broadcasts of the project. */
const pausedReads: ReadKind<object, { ids: string[] }> = {
  keys: () => ({}),
  found: () => ({ ids: [] }),
  async read(found, _wanted, { database, state: { project_id } }) {
    found.ids = await listPausedBroadcasts(database, project_id)
  },
}

/** The cap on marketing may have been changed: paused broadcasts try again. */
const resumePaused: Refresh = {
  reads(reads) {
    reads.of(pausedReads)
  },
  refresh(turn) {
    for (const id of turn.records.of(pausedReads).ids) turn.tell(`broadcast/${id}`, { type: 'resume' })
  },
}

/**
 * From a cancelled broadcast: withdraw the messages that are not being sent yet. Arrives after the slices of these
 * messages.
 */
const withdrawBulk: Receiver<{ channel_id: string; message_ids: string[] }> = {
  receive(turn, { channel_id, message_ids }) {
    turn.tell(`channel/${channel_id}`, { type: 'withdraw', message_ids })
  },
}

export const broadcasts = {
  changes: { create_broadcast: createBroadcast },
  receivers: {
    bulk_slice: bulkSlice,
    withdraw_bulk: withdrawBulk,
    broadcast_ended: broadcastEnded,
    broadcast_paused: broadcastPaused,
  },
  refreshes: { limits: resumePaused },
} satisfies Feature
