/** An answer of an assistant that nobody sent, and the question for it. */
import * as v from 'valibot'
import type { AssistantTurn } from '../../../storage/mod.ts'
import { across, fieldsOf, type InMemory, named, recordId } from '../../schema/mod.ts'
import { givenMessages, triedBlocks, triedHeld, triedTools } from './trial.ts'
import { costOfTurn, turnCost, turnSource, turnStep } from './turn.ts'

/** The body that asks for a reply: about a ticket, or after messages that the client gives. */
export const replyQuestion = v.pipe(
  v.strictObject({
    ticket_id: v.optional(
      v.pipe(
        recordId,
        v.description('The reply is what the assistant would answer in the conversation of this ticket now'),
      ),
    ),
    messages: v.optional(
      v.pipe(
        givenMessages,
        v.description('A conversation, oldest first, instead of a ticket. The last message is of the user'),
      ),
    ),
    chat_user: v.optional(
      v.pipe(recordId, v.description('With messages: the contact who is the user, to whom tools are bound')),
    ),
    tools: v.optional(
      v.pipe(triedTools, v.description('Default: mode read. live needs the scope assistants:write, too')),
    ),
    blocks: v.optional(triedBlocks),
    held: v.optional(triedHeld),
  }),
  across(
    (value, say) => {
      const { ticket_id, messages } = fieldsOf(value)
      if ((ticket_id === undefined) === (messages === undefined)) say('must have either ticket_id or messages')
    },
    { exactly_one_of: ['ticket_id', 'messages'] },
  ),
  across((value, say) => {
    const { messages, chat_user } = fieldsOf(value)
    if (chat_user !== undefined && messages === undefined) say('goes with messages alone; remove it', ['chat_user'])
  }),
)

export const assistantReply = named(
  'AssistantReply',
  v.object({
    turn_id: v.pipe(recordId, v.description('The record of the turn, which says more')),
    outcome: v.picklist(['answered', 'handed_over', 'failed']),
    text: v.pipe(
      v.nullable(v.string()),
      v.description(
        'The text that the person would get: the answer, or the words of a hand-over. Null after a failure',
      ),
    ),
    sources: v.array(turnSource),
    reason: v.pipe(v.nullable(v.string()), v.description('A word for why it is no answer')),
    tool_calls: v.pipe(
      v.array(v.omit(turnStep, ['kind', 'input_tokens', 'output_tokens', 'cost'])),
      v.description('Tools that were called, in their order'),
    ),
    usage: v.object({ input_tokens: v.number(), output_tokens: v.number() }),
    cost: turnCost,
  }),
)

export type AssistantReplyRecord = InMemory<v.InferOutput<typeof assistantReply>>

export function toAssistantReply(turn: AssistantTurn): AssistantReplyRecord {
  const {
    _id: turn_id,
    outcome,
    reason = null,
    answer: text = null,
    sources,
    steps,
    input_tokens,
    output_tokens,
  } = turn
  return {
    ...{ turn_id, outcome: outcome as AssistantReplyRecord['outcome'], text, sources, reason },
    tool_calls: steps.flatMap(({ kind, name, started_at, ms, error, arguments: given, result }) =>
      kind === 'tool' ? [{ name, started_at, ms, ...(error && { error }), arguments: given, result }] : [],
    ),
    usage: { input_tokens, output_tokens },
    cost: costOfTurn(turn),
  }
}
