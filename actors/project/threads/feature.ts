/** Conversations that several apps of the business share. `holder.ts` has the rules. */
import type { Feature } from '../turn/feature.ts'
import { moveThread } from './move_thread.ts'
import { threadTaken } from './taken.ts'
import { threadReported } from './thread_reported.ts'

export const threads = {
  changes: { move_thread: moveThread },
  inbound: { thread: threadReported },
  receivers: { thread_taken: threadTaken },
} satisfies Feature
