import { isCloud } from '../channels/cloud_channel.ts'
import type { Refresh } from '../turn/feature.ts'
import { syncIn } from './sync_timer.ts'
import { knownTemplates, templateFactReads } from './template_facts.ts'

/** Templates were changed. */
export const refreshTemplates = {
  forgets(reads) {
    reads.of(templateFactReads).forgets = true
  },
  refresh({ state }) {
    knownTemplates.of(state).clear()
  },
} satisfies Refresh

/** A channel was added or changed, perhaps to another account with other templates. */
export const refreshTemplatesOf: Refresh = {
  forgets: refreshTemplates.forgets,
  refresh(turn, channel_id) {
    refreshTemplates.refresh(turn)
    const channel = turn.state.channels.get(channel_id)
    // The check of the channel has just brought its templates.
    if (channel && isCloud(channel)) syncIn(turn)
  },
}
