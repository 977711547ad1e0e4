export { projectsOfActors, readLags } from './activity.ts'
export { MAX_DEAD_LETTERS, MAX_NOTED, readBacklogs, readLeases, readStates } from './backlogs.ts'
export { type ChannelHealthRow, listChannelHealth } from './channel_health.ts'
export {
  countDeadLetters,
  type DeadLetterFigures,
  type DeadLetterFilter,
  type DeadLetterSummary,
  findDeadLetter,
  type KeptMessage,
  lastDeadLetterId,
  listDeadLetters,
  readDeadLetterFigures,
  readDeadLetterIds,
  readKeptMessages,
} from './dead_letters.ts'
export { listDisabledWebhooks } from './disabled_webhooks.ts'
export { groupDeadLetters, listRecentDeadLetters } from './recent_dead_letters.ts'
export { searchTenants } from './tenants.ts'
export { listTokensByState } from './token_list.ts'
export { readTrace, type TraceKind, type TraceRows } from './trace.ts'
export { eventOfDelivery } from './traced_deliveries.ts'
export { listUsers } from './user_list.ts'
