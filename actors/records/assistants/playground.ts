/** The question of the playground, and the turn that answers it. */
import * as v from 'valibot'
import type { AssistantTurn } from '../../../storage/mod.ts'
import { type InMemory, named, recordId } from '../../schema/mod.ts'
import { assistantModel, assistantPatch } from './assistant.ts'
import { givenMessages, triedBlocks, triedHeld, triedTools } from './trial.ts'
import { assistantTurnRecord, toAssistantTurnRecord } from './turn.ts'

const { knowledge_node_ids } = assistantPatch.entries

/** Settings that are given count instead of those of the assistant. */
export const playgroundQuestion = v.strictObject({
  messages: givenMessages,
  chat_user: v.optional(v.nullable(recordId)),
  tools: v.optional(triedTools),
  blocks: v.optional(triedBlocks),
  held: v.optional(triedHeld),
  model: v.optional(assistantModel),
  knowledge_node_ids,
})

/** Has an id like any turn, by which nothing can be found. */
export const playgroundTurn = named(
  'PlaygroundTurn',
  v.object({ ...assistantTurnRecord.entries, origin: v.literal('playground') }),
)

export type PlaygroundTurnRecord = InMemory<v.InferOutput<typeof playgroundTurn>>

export function toPlaygroundTurn(turn: AssistantTurn): PlaygroundTurnRecord {
  return { ...toAssistantTurnRecord({ ...turn, origin: 'reply' }), origin: 'playground' }
}
