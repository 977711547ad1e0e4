import type { Receiver } from '../turn/feature.ts'
import { fetching } from './fetch_templates.ts'
import { syncIn } from './sync_timer.ts'

/** Milliseconds until the next try after a failed fetch. */
const AGAIN_MS = 10 * 60_000

/** To itself: a list could not be fetched. */
export const templatesNotListed: Receiver<{ channel_id: string }> = {
  receive(turn, { channel_id }) {
    fetching.of(turn.state).running.delete(channel_id)
    syncIn(turn, AGAIN_MS)
  },
}
