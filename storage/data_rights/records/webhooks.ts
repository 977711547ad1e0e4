/** Webhook events with their deliveries. Phases of the erasure of their own walk through the day tables. */
import { Attempt, Delivery, Event } from '../../entities/mod.ts'
import { sql } from '../../sql/sql.ts'
import type { RecordKind } from '../record_kind.ts'
import { inProject } from './conditions.ts'

export const webhookKinds: RecordKind[] = [
  { type: 'event', table: 'event', entity: Event, project: inProject, walked: true, erase: false },
  { type: 'delivery', table: 'delivery', entity: Delivery, project: inProject, walked: true, erase: false },
  {
    type: 'attempt',
    table: 'attempt',
    entity: Attempt,
    walked: true,
    project: (subject) => sql`exists (select from delivery where id = delivery_id and ${inProject(subject)})`,
    erase: false,
  },
]
