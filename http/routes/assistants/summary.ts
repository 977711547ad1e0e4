/** Summaries of conversations, which nobody stores. */
import * as v from 'valibot'
import {
  assistantSummary,
  plainIdPattern,
  summarize,
  summaryQuestion,
  toAssistantSummary,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { storeTurn } from '../../../storage/mod.ts'
import type { Operation, Outcome } from '../../server/changes/operation.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { mustHaveScopes } from './token_scopes.ts'
import { mustHaveEnded, TURN_MS } from './tried_turns.ts'
import { UnderWay } from './under_way.ts'
import type { AssistantHooks } from './work.ts'

type Question = v.InferOutput<typeof summaryQuestion>

export function summaryRoutes({ services }: AssistantHooks): Route[] {
  const under_way = new UnderWay()

  async function summary(
    assistant_id: string,
    { ticket_id, language }: Question,
    { project_id, database, token_id }: RequestContext,
    { deadline, signal }: Operation,
  ): Promise<Outcome> {
    // The answer tells what the person wrote. Agents, who have no token, read it anyway.
    if (token_id !== '') await mustHaveScopes({ database, project_id, token_id }, ['assistants:run', 'messages:read'])
    const asked = { project_id, assistant_id, ticket_id, language: language ?? null, deadline }
    const summarized = await under_way.run(project_id, () => summarize(services, asked, signal))
    if (summarized.kind === 'missing')
      throw new Refusal(summarized.what === 'assistant' ? 'NOT_FOUND' : 'TICKET_NOT_FOUND')
    const { turn, summary } = summarized
    await storeTurn(database, turn)
    mustHaveEnded(turn)
    return { changes: [], answer: { status: 200, body: { summary: toAssistantSummary(turn, summary) } } }
  }

  return [
    route({
      auth: 'token',
      scope: 'assistants:run',
      method: 'POST',
      path: '/v1/assistants/:id/summary',
      params: { id: plainIdPattern },
      operation: 'summarize_conversation',
      example: { body: { ticket_id: '66f2a0c1d4e5f60718293a50', language: 'en' } },
      summary: 'Summarize the conversation of a ticket for colleagues, without storing it',
      description: `The model of the assistant writes it, within ${TURN_MS / 1000} seconds. Save it with a PATCH of the ticket.`,
      body: summaryQuestion,
      status: 200,
      response: v.object({ summary: assistantSummary }),
      errors: ['NOT_FOUND', 'TICKET_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
      outside: true,
      lasts_ms: TURN_MS,
      act: ({ params, body }, context, operation) => summary(params.id.toLowerCase(), body, context, operation),
    }),
  ]
}
