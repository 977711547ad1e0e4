import { performance } from 'node:perf_hooks'
import * as v from 'valibot'
import { actorKinds, DEAD_LETTERS, maxCharacters, minCharacters, named } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  countDeadLetters,
  type Database,
  type DeadLetterFilter,
  findDeadLetter,
  hideSecretsInFields,
  hideSecretsInText,
  lastDeadLetterId,
  listDeadLetters,
} from '../../../storage/mod.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'
import { beginOnce } from '../../server/schema/fields.ts'
import { inOrder, instant, range } from '../../server/schema/instant.ts'
import { paging, recordsOf, timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'

/** Maximum letters of one request by filter. */
const MAX = 1000
/** Milliseconds after which such a request starts no further turn. */
const LONG = 5000

/** The ids of PostgreSQL, a bigint. Eighteen digits always fit without comparing with its maximum. */
const idPattern = /^[1-9]\d{0,17}$/
const PARAMS = { params: { id: idPattern } }

const id = v.pipe(v.string('must be a string'), v.regex(idPattern, 'must be the id of a dead letter, such as "17"'))
const cursor = v.optional(
  v.pipe(v.string(), v.regex(idPattern, 'must be the next_cursor of a page, the id of a dead letter')),
)
const word = v.pipe(
  v.string('must be a string'),
  minCharacters(1),
  maxCharacters(200),
  v.regex(/^\P{Cc}*$/u, 'must not contain control characters'),
)

/** A letter must match all given conditions. */
const filter = {
  kind: v.optional(v.pipe(v.string('must be a string'), v.regex(/^[a-z_]{1,32}$/, 'must be such as "channel"'))),
  address: v.optional(word),
  type: v.optional(word),
  error: v.optional(word),
  max_id: v.optional(id),
}
const selection = {
  ...filter,
  since: v.optional(instant),
  until: v.optional(instant),
  limit: v.optional(
    v.pipe(
      v.number('must be a number'),
      v.integer('must be a whole number'),
      v.minValue(1, 'must be at least 1'),
      v.maxValue(MAX, `must be at most ${MAX}`),
    ),
    MAX,
  ),
}

const summary = named(
  'DeadLetterSummary',
  v.object({
    id: v.string(),
    parked_at: timestamp,
    kind: v.pipe(v.string(), v.description('The kind of the receiving actor')),
    address: v.string(),
    type: v.pipe(v.nullable(v.string()), v.description('The type of the message')),
    sender: v.pipe(v.nullable(v.string()), v.description('The sending actor; null for a timer or a request')),
    error: v.pipe(v.string(), v.description('The error for which it was parked; in lists the first line')),
  }),
)
const letter = named(
  'DeadLetter',
  v.object({
    ...summary.entries,
    partition: v.number(),
    message: v.pipe(v.record(v.string(), v.unknown()), v.description('Without secrets')),
  }),
)

const done = (what: 'replayed' | 'dropped') =>
  v.object({
    [what]: v.number(),
    remaining: v.pipe(v.number(), v.description('Letters that still match: repeat the request with max_id')),
    max_id: v.pipe(v.nullable(v.string()), v.description('The last letter at the time of the request')),
  })

/** Parked messages between actors, for operators to read, replay or drop. */
export const deadLetterRoutes: Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/dead-letters',
    operation: 'list_dead_letters',
    summary: 'List messages between actors that were parked, newest first',
    status: 200,
    query: v.pipe(v.strictObject({ ...paging, cursor, ...filter, ...range }), inOrder(), beginOnce()),
    response: recordsOf(summary),
    async read({ query: { limit, offset, cursor, ...filter } }, { database }) {
      await mustBeKind(database, filter)
      const { data, ...found } = await listDeadLetters(database, filter, { limit, offset, cursor })
      return { ...found, data: data.map(withoutSecrets), limit, offset }
    },
  }),
  {
    ...operatorRoute({
      method: 'GET',
      path: '/admin/v1/dead-letters/:id',
      operation: 'get_dead_letter',
      summary: 'Get a parked message with its error; secrets are left out',
      status: 200,
      response: letter,
      errors: ['NOT_FOUND'],
      async read({ params: { id = '' } }, { database }) {
        const found = await findDeadLetter(database, id)
        if (!found) throw new Refusal('NOT_FOUND')
        return { ...withoutSecrets(found), message: hideSecretsInFields(found.message) }
      },
    }),
    ...PARAMS,
  },
  {
    ...operatorRoute({
      method: 'POST',
      path: '/admin/v1/dead-letters/:id/replay',
      operation: 'replay_dead_letter',
      role: 'support',
      summary: 'Replay a parked message; repeated requests replay it only once',
      status: 200,
      response: v.object({ replayed: v.literal(1) }),
      errors: ['NOT_FOUND'],
      async change({ params: { id = '' } }, { runtime, origin }) {
        const replayed = await runtime.ask(DEAD_LETTERS, { type: 'replay', filter: { id }, limit: 1, origin })
        if (replayed === 0) throw new Refusal('NOT_FOUND')
        return { replayed: 1 as const }
      },
    }),
    ...PARAMS,
  },
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/dead-letters/replay',
    operation: 'replay_dead_letters',
    example: { body: { kind: 'project', limit: 100 } },
    role: 'support',
    summary: 'Replay parked messages, oldest first; each is replayed once',
    status: 200,
    body: v.pipe(v.strictObject(selection), inOrder()),
    response: done('replayed'),
    async change({ body: { limit, ...filter } }, context) {
      const { count, ...rest } = await each('replay', filter, limit, context)
      return { replayed: count, ...rest }
    },
  }),
  {
    ...operatorRoute({
      method: 'DELETE',
      path: '/admin/v1/dead-letters/:id',
      operation: 'drop_dead_letter',
      summary: 'Drop a parked message for good',
      status: 204,
      errors: ['NOT_FOUND'],
      async change({ params: { id = '' } }, { runtime, origin }) {
        const dropped = await runtime.ask(DEAD_LETTERS, { type: 'drop', filter: { id }, limit: 1, origin })
        if (dropped === 0) throw new Refusal('NOT_FOUND')
      },
    }),
    ...PARAMS,
  },
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/dead-letters/drop',
    operation: 'drop_dead_letters',
    example: { body: { kind: 'project', confirm: true } },
    summary: 'Drop parked messages for good, oldest first',
    status: 200,
    body: v.pipe(
      v.strictObject({
        ...selection,
        confirm: v.literal(true, 'must be true: what is dropped cannot be brought back'),
      }),
      inOrder(),
    ),
    response: done('dropped'),
    async change({ body: { limit, confirm: _, ...filter } }, context) {
      const { count, ...rest } = await each('drop', filter, limit, context)
      return { dropped: count, ...rest }
    },
  }),
]

/**
 * Refuses a kind that no actor and no letter has.
 * @throws {Refusal} VALIDATION_ERROR
 */
async function mustBeKind(database: Database, { kind }: DeadLetterFilter): Promise<void> {
  if (kind === undefined || actorKinds.has(kind) || (await countDeadLetters(database, { kind })) > 0) return
  const message = `must be a kind of actors: ${[...actorKinds].join(', ')}`
  refuseInvalid([{ path: 'kind', message, code: 'invalid_value' }])
}

function withoutSecrets<Row extends { error: string }>(row: Row): Row {
  return { ...row, error: hideSecretsInText(row.error) }
}

/**
 * Works turn by turn until no letter matches, `limit` is reached or time is up. A message that is parked again
 * meanwhile is not taken again, because its new id is greater than `max_id`.
 */
async function each(
  type: 'replay' | 'drop',
  filter: DeadLetterFilter,
  limit: number,
  { database, runtime, origin }: RequestContext,
): Promise<{ count: number; remaining: number; max_id: string | null }> {
  await mustBeKind(database, filter)
  const max_id = filter.max_id ?? (await lastDeadLetterId(database))
  if (max_id === undefined) return { count: 0, remaining: 0, max_id: null }
  const bounded = { ...filter, max_id }
  let count = 0
  for (const end = performance.now() + LONG; count < limit && performance.now() < end; ) {
    const more = await runtime.ask(DEAD_LETTERS, { type, filter: bounded, limit: limit - count, origin })
    if (more === 0) break
    count += more
  }
  return { count, remaining: await countDeadLetters(database, bounded), max_id }
}
