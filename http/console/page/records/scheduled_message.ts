/** A message that is sent later. `docs/inbox.md` describes it. */
export type { ScheduledMessage } from './generated.ts'
