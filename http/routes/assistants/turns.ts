/** The turns of an assistant, each with its reasons. */
import * as v from 'valibot'
import {
  assistantTurnRecord,
  assistantTurnSummary,
  plainIdPattern,
  recordId,
  toAssistantTurnRecord,
  toAssistantTurnSummary,
  turnOutcomes,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findTurn, listTurns } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf, recordCursor } from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'
import { assistantOf, type Where } from './work.ts'

const reads = { auth: 'token', scope: 'assistants:read', status: 200 } as const

/** The parameters of the list. */
export const turnQuery = v.pipe(
  v.strictObject({
    ticket_id: v.optional(recordId),
    outcome: v.optional(v.picklist(turnOutcomes)),
    ...range,
    limit,
    cursor: recordCursor,
  }),
  inOrder(),
)

export const turnPage = pageOf(assistantTurnSummary)

type Place = Pick<Where, 'database' | 'project_id'>

/** A page of the turns of an assistant. */
export async function pageOfTurns(
  { database, project_id }: Place,
  assistant_id: string,
  { limit, cursor, ...filter }: v.InferOutput<typeof turnQuery>,
) {
  const { data, ...page } = await listTurns(database, { project_id, assistant_id }, filter, { limit, cursor })
  return { ...page, data: data.map(toAssistantTurnSummary) }
}

/** @throws {Refusal} NOT_FOUND */
export async function turnOf({ database, project_id }: Place, assistant_id: string, turn_id: string) {
  const turn = await findTurn(database, { project_id, assistant_id }, turn_id.toLowerCase())
  if (!turn) throw new Refusal('NOT_FOUND')
  return toAssistantTurnRecord(turn)
}

export const turnRoutes: Route[] = [
  route({
    ...reads,
    method: 'GET',
    path: '/v1/assistants/:id/turns',
    params: { id: plainIdPattern },
    operation: 'list_assistant_turns',
    summary: 'List what an assistant did, newest first, without the steps',
    query: turnQuery,
    response: turnPage,
    errors: ['NOT_FOUND'],
    async read({ params, query }, context) {
      const { _id } = await assistantOf(context, params.id)
      return pageOfTurns(context, _id, query)
    },
  }),
  route({
    ...reads,
    method: 'GET',
    path: '/v1/assistants/:id/turns/:turn_id',
    params: { id: plainIdPattern, turn_id: plainIdPattern },
    operation: 'get_assistant_turn',
    summary: 'Get a turn of an assistant: its steps, its sources, and what it cost',
    response: v.object({ turn: assistantTurnRecord }),
    errors: ['NOT_FOUND'],
    read: async ({ params }, context) => ({ turn: await turnOf(context, params.id.toLowerCase(), params.turn_id) }),
  }),
]
