/** Events for the consoles that watch the project. */
import type { Feature } from '../turn/feature.ts'
import { publishBroadcastMessages } from './broadcast_messages.ts'

export const live = {
  receivers: { publish_broadcast_messages: publishBroadcastMessages },
} satisfies Feature
