/** The playground: an agent talks to an assistant as it would be, and nothing of it is kept. */
import * as v from 'valibot'
import { plainIdPattern, playgroundQuestion, playgroundTurn, toPlaygroundTurn } from '../../actors/mod.ts'
import {
  instructionsTried,
  mustHaveEnded,
  TRIAL_BODY_LIMIT,
  TriedTurns,
  TURN_MS,
} from '../routes/assistants/tried_turns.ts'
import { type AssistantHooks, MANAGES_ASSISTANTS, mustBeSupported } from '../routes/assistants/work.ts'
import { mustKnow } from '../routes/knowledge/knowledge.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'

export function playgroundRoutes(hooks: AssistantHooks): Route[] {
  const turns = new TriedTurns(hooks)
  return [
    route({
      auth: 'agent',
      permission: MANAGES_ASSISTANTS,
      pool: 'exempt',
      method: 'POST',
      path: '/console/projects/:project_id/assistants/:id/playground',
      params: { id: plainIdPattern },
      operation: 'console_try_assistant',
      summary: 'Let an assistant answer with settings that are not saved; nothing is kept but what was spent',
      body: playgroundQuestion,
      body_limit: TRIAL_BODY_LIMIT,
      status: 200,
      response: v.object({ turn: playgroundTurn }),
      errors: [
        'NOT_FOUND',
        'NO_CONTACT',
        'BLOCK_NOT_FOUND',
        'INVALID_MODEL',
        'KNOWLEDGE_NODE_NOT_FOUND',
        'SERVICE_UNAVAILABLE',
      ],
      outside: true,
      lasts_ms: TURN_MS,
      keeps_nothing: true,
      async act({ params, body }, context, operation) {
        const { messages, chat_user = null, tools, blocks, held, model, knowledge_node_ids } = body
        const { company_id, project_id, database } = context
        mustBeSupported(hooks, model)
        await mustKnow(database, project_id, knowledge_node_ids)
        // An assistant is tried before it is switched on.
        const tried = { ...instructionsTried({ blocks, held }), model, knowledge_node_ids, is_active: true as const }
        const subject = { messages, chat_user, company_id }
        const asked = { assistant_id: params.id, subject, origin: 'playground' as const, tools, tried }
        const turn = await turns.run(asked, context, operation)
        mustHaveEnded(turn)
        return { changes: [], answer: { status: 200, body: { turn: toPlaygroundTurn(turn) } } }
      },
    }),
  ]
}
