/** The operations of the inbox. */
import type { Route } from '../../server/route/route.ts'
import { draftRoutes } from './drafts.ts'
import { inboxListRoutes } from './list.ts'
import { readMarkRoutes } from './read_marks.ts'
import { scheduledMessageRoutes } from './scheduled_messages.ts'
import { snoozeRoutes } from './snoozes.ts'
import { viewRoutes } from './views.ts'

export const inboxRoutes: Route[] = [
  ...inboxListRoutes,
  ...readMarkRoutes,
  ...snoozeRoutes,
  ...scheduledMessageRoutes,
  ...draftRoutes,
  ...viewRoutes,
]
