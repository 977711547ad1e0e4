import { createMachine } from 'xstate'
import type { TestRunState } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

/**
 * - `begun`     there is room for one more run of the project
 * - `all_done`  each case was tried as often as it should be
 * - `canceled`  a client stopped it
 * - `failed`    going on makes no sense: the budget is spent, or the model cannot be asked
 */
export type TestRunEvent = 'begun' | 'all_done' | 'canceled' | 'failed'

/** The life of a run of a test set. Results that are there stay when it ends early. */
export const testRunMachine = createMachine({
  id: 'test_run',
  initial: 'queued',
  states: {
    queued: { on: { begun: 'running', canceled: 'canceled', failed: 'failed' } },
    running: { on: { all_done: 'done', canceled: 'canceled', failed: 'failed' } },
    done: { type: 'final' },
    canceled: { type: 'final' },
    failed: { type: 'final' },
  },
})

const table = tableOf<TestRunState, TestRunEvent>(testRunMachine, ['begun', 'all_done', 'canceled', 'failed'])

/** The state after an event; unchanged when the event does not apply. */
export function nextTestRunState(state: TestRunState, event: TestRunEvent): TestRunState {
  return table[state][event]
}
