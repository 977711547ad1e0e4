export {
  type DeadStreak,
  deadStreak,
  findDelivery,
  lastDeliveryIds,
  listAttempts,
  listDeliveries,
} from './deliveries.ts'
export { type Fetched, readFetched, sweepPollGroups } from './poll_groups.ts'
export { findPolledDelivery, listPolledDeliveries } from './polled_deliveries.ts'
export { nextPosition, type PolledPage, positionAt, readPolled } from './polls.ts'
export { findReceiver, type Receiver } from './receivers.ts'
export { type Reconciliation, reconcileWebhooks } from './reconcile.ts'
export { listWebhookKeys } from './webhook_keys.ts'
export { findEvent, findWebhook, listWebhooks } from './webhooks.ts'
