import type { Turn } from '../../runtime/mod.ts'
import { type ConversationEvent, nextConversationPhase } from '../machines/mod.ts'
import type { ConversationState } from './state.ts'

export type ConversationTurn = Turn<ConversationState>

export function move({ state }: ConversationTurn, event: ConversationEvent): void {
  state.phase = nextConversationPhase(state.phase, event)
}
