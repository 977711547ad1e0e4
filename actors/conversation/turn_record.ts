/** The record of a turn (`assistant_turn`), which the turn writes as it goes on. The project writes how it ended. */
import { AssistantTurn, blank } from '../../storage/mod.ts'
import type { Seen } from './assistant_at_work.ts'
import type { ConversationTurn } from './phase.ts'
import type { CurrentTurn } from './state.ts'
import { totalsOf } from './turn_totals.ts'

/** Begins the record with the first outcome of the model, which fixes the state of the conversation that the turn is about. */
export function beginRecord(turn: ConversationTurn, current: CurrentTurn, seen: Seen): void {
  current.seen = seen
  const { company_id, project_id, assistant_id, chat_user, place } = turn.state.known!
  turn.insert(
    AssistantTurn,
    blank(AssistantTurn, {
      _id: current._id,
      company_id,
      project_id,
      assistant_id,
      origin: 'conversation',
      ticket_id: turn.key,
      chat_user,
      channel_id: place?.channel_id ?? null,
      segment: seen.segment,
      version: seen.version,
      model: seen.model,
      sources: [],
      blocks: seen.blocks,
      documents: [],
      steps: [],
      input_tokens: 0,
      output_tokens: 0,
      cost_currency: seen.cost_currency ?? null,
      started_at: new Date(current.started_at),
    }),
  )
}

/** Writes the steps so far. Does nothing for a turn without a record. */
export function writeRecord(turn: ConversationTurn, current: CurrentTurn, more: Partial<AssistantTurn> = {}): void {
  if (!current.seen) return
  const { _id, steps, sources, documents } = current
  turn.update(AssistantTurn, { _id }, { steps, sources, documents, ...totalsOf(steps), ...more })
}

/** Removes the record of a turn whose person was erased: the erasure was before what the turn wrote since. */
export function removeRecord(turn: ConversationTurn, { _id }: CurrentTurn): void {
  turn.remove(AssistantTurn, { _id })
}
