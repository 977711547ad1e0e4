import type { Receiver } from '../turn/feature.ts'
import { endFetch } from './fetch_templates.ts'

/** To itself: a list could not be fetched. */
export const templatesNotListed: Receiver<{ channel_id: string }> = {
  receive(turn, { channel_id }) {
    endFetch(turn, channel_id, true)
  },
}
