import { isCloud } from '../channels/cloud_channel.ts'
import type { Receiver } from '../turn/feature.ts'
import { fetchTemplates } from './fetch_templates.ts'
import { syncIn } from './sync_timer.ts'

/** The timer: fetches all lists. */
export const syncTemplates: Receiver<object> = {
  receive(turn, _message, { providers }) {
    const channels = [...turn.state.channels.values()].filter((one) => one.is_active && isCloud(one))
    if (channels.length > 0) syncIn(turn)
    for (const channel of channels) fetchTemplates(turn, channel, providers)
  },
}
