import { Broadcast, readRows, toBroadcastRecord } from '../../../storage/mod.ts'
import { findTemplate, wantTemplate } from '../templates/template_facts.ts'
import { templateWarnings } from '../templates/template_warnings.ts'
import type { Change } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'

/** A bulk send whose recipients are stored. Applying it again changes nothing. */
export type CreateBroadcast = { type: 'create_broadcast' } & Pick<
  Broadcast,
  'id' | 'channel_id' | 'template_name' | 'language' | 'campaign_name' | 'total'
>

/** Broadcasts that exist already. */
const broadcastReads: ReadKind<Set<string>, Map<string, Broadcast>> = {
  wanted: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database }) {
    for (const row of await readRows(database, Broadcast, { id: [...ids] })) found.set(row.id, row)
  },
}

/** Creates a bulk send. Returns its answer, with warnings about its template. */
export const createBroadcast: Change<CreateBroadcast> = {
  audit: {
    target: 'broadcast',
    record(turn, id) {
      const row = turn.records.of(broadcastReads).get(id)
      return row && toBroadcastRecord(row)
    },
  },
  reads(reads, { id, channel_id, template_name: name, language }) {
    reads.of(broadcastReads).add(id)
    wantTemplate(reads, channel_id, { name, language })
  },
  apply(turn, { type: _, ...fields }) {
    const broadcasts = turn.records.of(broadcastReads)
    const { company_id, project_id } = turn.state
    const { id, total } = fields
    const template = { name: fields.template_name, language: fields.language }
    const warnings = templateWarnings(template, findTemplate(turn, fields.channel_id, template))
    const answer = { broadcast_id: id, status: 'queued', total, warnings }
    if (broadcasts.has(id)) return answer
    const counts = { pending_count: total, sent_count: 0, delivered_count: 0, read_count: 0, failed_count: 0 }
    const times = { created_at: turn.now, started_at: null, completed_at: null, updated_at: turn.now }
    const progress = { status: 'queued' as const, taken_up: 0, handed_on: 0 }
    const row: Broadcast = { ...fields, company_id, project_id, ...progress, ...counts, ...times }
    turn.insert(Broadcast, row)
    turn.live(project_id, () => ({ type: 'broadcast.progress', data: toBroadcastRecord(row) }))
    broadcasts.set(id, row)
    turn.tell(`broadcast/${id}`, { type: 'begin' })
    return answer
  },
}
