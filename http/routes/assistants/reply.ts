/** Answers of an assistant that nobody sends. */
import * as v from 'valibot'
import {
  assistantReply,
  plainIdPattern,
  replyQuestion,
  runTurn,
  type ToolsMode,
  type Tried,
  toAssistantReply,
} from '../../../actors/mod.ts'
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import { findToken, storeTurn } from '../../../storage/mod.ts'
import { type Operation, type Outcome, UpstreamFailure } from '../../server/changes/operation.ts'
import { Shares } from '../../server/limits/fair_shares.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { blockNotFound } from './prompt.ts'
import type { AssistantHooks } from './work.ts'

/** Milliseconds of a turn: those of a turn in a conversation. */
const TURN_MS = 50_000
/** Replies under way, on a node and of a project. Each has a conversation in memory. */
const UNDER_WAY = { all: 256, kinds: { project: 16 } }
/** Bytes of a body: many contents are tried at once in practice, but not the longest of all blocks. */
const BODY_LIMIT = 4 * 1024 * 1024

type Question = v.InferOutput<typeof replyQuestion>

export function replyRoutes(hooks: AssistantHooks): Route[] {
  const under_way = new Shares<'project'>(UNDER_WAY)

  async function reply(id: string, body: Question, context: RequestContext, operation: Operation): Promise<Outcome> {
    const holder = { project: context.project_id }
    if (!under_way.take(holder, 1)) throw new Unavailable('Too many replies of assistants are under way.')
    try {
      return await replyTo(id, body, context, operation)
    } finally {
      under_way.give(holder, 1)
    }
  }

  async function replyTo(
    assistant_id: string,
    { ticket_id, messages = [], chat_user, tools, blocks = [] }: Question,
    context: RequestContext,
    { deadline, signal }: Operation,
  ): Promise<Outcome> {
    const { project_id, company_id, database } = context
    if (tools?.mode === 'live') await mustWrite(context)
    const subject = ticket_id === undefined ? { messages, chat_user: chat_user ?? null, company_id } : { ticket_id }
    const trial = { origin: 'reply' as const, tools: toolsOf(tools), tried: triedWith(blocks) }
    const ran = await runTurn(hooks.services, { project_id, assistant_id, subject, deadline, ...trial }, signal)
    if (ran.kind === 'missing') {
      if (ran.what === 'block') throw blockNotFound(ran.block_id)
      if (ran.what === 'assistant') throw new Refusal('NOT_FOUND')
      throw new Refusal(ticket_id === undefined ? 'NO_CONTACT' : 'TICKET_NOT_FOUND')
    }
    await storeTurn(database, ran.turn)
    if (ran.turn.reason === 'aborted') {
      const failure = { message: 'The call ended before there was a reply.', maybe_accepted: false }
      throw new UpstreamFailure('SERVICE_UNAVAILABLE', failure)
    }
    return { changes: [], answer: { status: 200, body: { reply: toAssistantReply(ran.turn) } } }
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
      body_limit: BODY_LIMIT,
      status: 200,
      response: v.object({ reply: assistantReply }),
      errors: ['NOT_FOUND', 'TICKET_NOT_FOUND', 'NO_CONTACT', 'BLOCK_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
      outside: true,
      lasts_ms: TURN_MS,
      act: ({ params, body }, context, operation) => reply(params.id.toLowerCase(), body, context, operation),
    }),
  ]
}

/** Webhooks with other methods than GET may change something outside. @throws {Refusal} INSUFFICIENT_SCOPE */
async function mustWrite({ database, project_id, token_id }: RequestContext): Promise<void> {
  const scopes = (await findToken(database, project_id, token_id))?.scopes ?? []
  if (scopes.includes('assistants:write')) return
  const [required, missing] = [['assistants:run', 'assistants:write'], ['assistants:write']]
  throw new Refusal('INSUFFICIENT_SCOPE', { details: { required, missing } })
}

function toolsOf({ mode, fixtures = [] }: Question['tools'] = { mode: 'read' }): ToolsMode {
  return mode === 'fixtures' ? { mode, fixtures } : { mode }
}

function triedWith(blocks: NonNullable<Question['blocks']>): Tried {
  return { contents: new Map(blocks.map(({ block_id, content }) => [block_id, content])) }
}
