import { createMachine } from 'xstate'
import { tableOf } from './table.ts'

/** A change of the conversation, or an outcome of the turn. */
export type ConversationEvent =
  | 'asked'
  | 'quiet'
  | 'called_tools'
  | 'tools_ended'
  | 'concluded'
  | 'outdated'
  | 'answered'
  | 'handed_over'
  | 'taken_over'

/**
 * A conversation that an assistant holds. One burst of messages is gathered into one turn. What the turn concludes is decided by the
 * project, in the commit that stores it; something newer makes it outdated, and the turn begins again with all that was said.
 */
export const conversationMachine = createMachine({
  id: 'conversation',
  initial: 'idle',
  states: {
    idle: { on: { asked: 'gathering', taken_over: 'with_a_person' } },
    gathering: { on: { quiet: 'thinking', taken_over: 'with_a_person' } },
    thinking: {
      on: {
        called_tools: 'using_tools',
        concluded: 'deciding',
        outdated: 'gathering',
        taken_over: 'with_a_person',
      },
    },
    using_tools: {
      on: { tools_ended: 'thinking', concluded: 'deciding', outdated: 'gathering', taken_over: 'with_a_person' },
    },
    deciding: {
      on: { answered: 'idle', handed_over: 'with_a_person', outdated: 'gathering', taken_over: 'with_a_person' },
    },
    with_a_person: { on: { asked: 'gathering' } },
  },
})

export type ConversationPhase = 'idle' | 'gathering' | 'thinking' | 'using_tools' | 'deciding' | 'with_a_person'

const EVENTS = [
  ...(['asked', 'quiet', 'called_tools', 'tools_ended', 'concluded', 'outdated', 'answered'] as const),
  ...(['handed_over', 'taken_over'] as const),
]
const table = tableOf<ConversationPhase, ConversationEvent>(conversationMachine, EVENTS)

export function nextConversationPhase(phase: ConversationPhase, event: ConversationEvent): ConversationPhase {
  return table[phase][event]
}
