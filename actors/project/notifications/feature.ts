/** Notifications: what agents are told about their tickets. */
import type { Feature } from '../turn/feature.ts'
import { readNotifications } from './read_notifications.ts'

export const notifications = {
  commands: { read_notifications: readNotifications },
} satisfies Feature
