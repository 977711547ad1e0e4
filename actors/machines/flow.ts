import { createMachine } from 'xstate'
import type { FlowStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

/** The new status of a Flow, as reported by the provider. */
export type FlowEvent = Exclude<FlowStatus, 'draft'>

/**
 * The life of a Flow. The provider decides, and reports it in its answers and webhooks, which may come late or not at
 * all. So every state but a draft can be reached from any other, and no state leads back to a draft. Deprecated is
 * final: Meta never reverts it.
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

/** The status after a report of the provider, in the provider's term; unchanged for a term without effect. */
export function nextFlowStatus(status: FlowStatus, said: string): FlowStatus {
  const event = EVENTS.find((one) => one === said.toLowerCase())
  return event ? table[status][event] : status
}
