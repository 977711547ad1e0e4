import { createMachine } from 'xstate'
import type { FlowStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

/** What the provider says a Flow has become. */
export type FlowEvent = Exclude<FlowStatus, 'draft'>

/**
 * The life of a Flow. The provider decides; it tells by its answers and its webhooks, which may come late or not at all.
 * So every state but a draft can be reached from any other, nothing leads back to a draft, and what was deprecated stays
 * so: Meta never takes it back.
 */
export const flowMachine = createMachine({
  id: 'flow',
  initial: 'draft',
  states: {
    draft: {
      on: { published: 'published', throttled: 'throttled', blocked: 'blocked', deprecated: 'deprecated' },
    },
    published: { on: { throttled: 'throttled', blocked: 'blocked', deprecated: 'deprecated' } },
    throttled: { on: { published: 'published', blocked: 'blocked', deprecated: 'deprecated' } },
    blocked: { on: { published: 'published', throttled: 'throttled', deprecated: 'deprecated' } },
    deprecated: { type: 'final' },
  },
})

const EVENTS = ['published', 'throttled', 'blocked', 'deprecated'] as const
const table = tableOf<FlowStatus, FlowEvent>(flowMachine, EVENTS)

/** The status after what the provider said, in its own word; the same one for a word that changes nothing. */
export function nextFlowStatus(status: FlowStatus, said: string): FlowStatus {
  const event = EVENTS.find((one) => one === said.toLowerCase())
  return event ? table[status][event] : status
}
