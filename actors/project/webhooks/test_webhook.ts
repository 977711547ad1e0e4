import { eventTypes } from '../../event_types.ts'
import { testData } from '../../webhook/mod.ts'
import { emitTest } from '../turn/events.ts'
import type { Command } from '../turn/feature.ts'
import { toSubscription } from '../turn/state.ts'
import { findSubscription, subscriptionReads } from './subscription.ts'

/** Sends a test event of this type, even if the subscription does not listen to it. */
export type TestWebhook = { type: 'test_webhook'; id: string; event_type: string }

/** `POST /v1/webhooks/{id}/test`. */
export const testWebhook = {
  reads(reads, { id }) {
    reads.of(subscriptionReads).add(id)
  },
  run(turn, { id, event_type }) {
    const row = findSubscription(turn, id)
    const example = eventTypes.find((one) => one.type === event_type)!.example
    const event_id = emitTest(turn, toSubscription(row), event_type, testData(example))
    return { body: { accepted: true as const, event_id } }
  },
} satisfies Command<TestWebhook>
