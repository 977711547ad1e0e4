/** The way of a request, a message or an event, told by the tables. No step has what people wrote, or who they are. */
import * as v from 'valibot'
import { named } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { type Database, eventOfDelivery, readTrace, type TraceKind } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { stepNames, stepsOf } from './trace_steps.ts'

const described = <Schema extends v.GenericSchema>(schema: Schema, text: string) => v.pipe(schema, v.description(text))

const count = v.number()

const step = named(
  'TraceStep',
  v.object({
    at: timestamp,
    step: v.picklist(stepNames),
    id: described(v.string(), 'The message, event, delivery or audit entry'),
    of: described(v.nullable(v.string()), 'What it belongs to: the message of an event, the event of a delivery'),
    request_id: described(v.nullable(v.string()), 'The request that caused it'),
    project_id: v.nullable(v.string()),
    detail: described(v.string(), 'A few words for people, without what people wrote'),
    attempt: described(v.nullable(v.number()), 'The number of the attempt, from 1, or of attempts so far'),
    status_code: described(v.nullable(v.number()), 'The answer of the receiver'),
    duration_ms: v.nullable(v.number()),
    error: v.nullable(v.string()),
  }),
)

const trace = named(
  'Trace',
  v.object({
    id: v.string(),
    kind: v.picklist(['request', 'message', 'event']),
    steps: described(v.array(step), 'In the order of their times; empty when nothing is stored of it'),
    left_out: described(
      v.object({
        messages: count,
        events: count,
        deliveries: count,
        audit_entries: count,
        unsearched_events: described(
          count,
          'Events, of all projects, from the times of the message, among which its own were not looked for',
        ),
      }),
      'Rows beyond those whose steps are shown',
    ),
  }),
)

export const traceRoutes: Route[] = [
  {
    ...operatorRoute({
      method: 'GET',
      path: '/admin/v1/trace/:traced_id',
      operation: 'get_trace',
      summary: 'Tell the way of a request, a message or an event, by its id or that of a delivery',
      status: 200,
      response: trace,
      errors: ['NOT_FOUND'],
      async read({ params: { traced_id: id = '' } }, { database }) {
        const { kind, known } = await findTraced(database, id)
        const rows = await readTrace(database, kind, known)
        const steps = stepsOf(rows)
        // Of a request nothing may be stored; a message and an event are rows themselves.
        if (steps.length === 0 && kind !== 'request') throw new Refusal('NOT_FOUND')
        return { id: known, kind, steps, left_out: rows.left_out }
      },
    }),
    params: { traced_id: /^[A-Za-z0-9._-]{1,128}$/ },
  },
]

/** A delivery is told with its event. */
async function findTraced(database: Database, id: string): Promise<{ kind: TraceKind; known: string }> {
  if (/^dlv_[0-9a-f]{24}$/i.test(id)) {
    const known = await eventOfDelivery(database, id.toLowerCase())
    if (known === undefined) throw new Refusal('NOT_FOUND')
    return { kind: 'event', known }
  }
  const kind = kindOf(id)
  return { kind, known: kind === 'request' ? id : id.toLowerCase() }
}

/** A text that is no id of a message or of an event is that of a request, which clients may choose. */
function kindOf(id: string): TraceKind {
  if (/^msg_[0-9a-f]{24}$/i.test(id)) return 'message'
  return /^evt_[0-9a-f]{24}$/i.test(id) ? 'event' : 'request'
}
