/** Answers of an assistant that nobody sends. */
import * as v from 'valibot'
import { assistantReply, plainIdPattern, replyQuestion, toAssistantReply } from '../../../actors/mod.ts'
import { storeTurn } from '../../../storage/mod.ts'
import type { Operation, Outcome } from '../../server/changes/operation.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { mustHaveScopes } from './token_scopes.ts'
import { instructionsTried, mustHaveEnded, TRIAL_BODY_LIMIT, TriedTurns, TURN_MS } from './tried_turns.ts'
import type { AssistantHooks } from './work.ts'

type Question = v.InferOutput<typeof replyQuestion>

export function replyRoutes(hooks: AssistantHooks): Route[] {
  const turns = new TriedTurns(hooks)

  async function reply(
    assistant_id: string,
    { ticket_id, messages = [], chat_user, tools, ...instructions }: Question,
    context: RequestContext,
    operation: Operation,
  ): Promise<Outcome> {
    const { company_id, database } = context
    // Webhooks with other methods than GET may change something outside.
    if (tools?.mode === 'live') await mustHaveScopes(context, ['assistants:run', 'assistants:write'])
    const subject = ticket_id === undefined ? { messages, chat_user: chat_user ?? null, company_id } : { ticket_id }
    const tried = instructionsTried(instructions)
    const turn = await turns.run({ assistant_id, subject, origin: 'reply', tools, tried }, context, operation)
    await storeTurn(database, turn)
    mustHaveEnded(turn)
    return { changes: [], answer: { status: 200, body: { reply: toAssistantReply(turn) } } }
  }

  return [
    route({
      auth: 'token',
      scope: 'assistants:run',
      method: 'POST',
      path: '/v1/assistants/:id/reply',
      params: { id: plainIdPattern },
      operation: 'generate_assistant_reply',
      example: { body: { messages: [{ role: 'user', text: 'Where is my order A-1001?' }] } },
      summary: 'Let an assistant answer without sending it; tools that would change a record are not run',
      description: `The answer comes within ${TURN_MS / 1000} seconds. Its turn is listed with the others.`,
      body: replyQuestion,
      body_limit: TRIAL_BODY_LIMIT,
      status: 200,
      response: v.object({ reply: assistantReply }),
      errors: ['NOT_FOUND', 'TICKET_NOT_FOUND', 'NO_CONTACT', 'BLOCK_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
      outside: true,
      lasts_ms: TURN_MS,
      act: ({ params, body }, context, operation) => reply(params.id.toLowerCase(), body, context, operation),
    }),
  ]
}
