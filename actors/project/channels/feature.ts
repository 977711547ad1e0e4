/** Connected accounts of providers. */
import type { Feature } from '../turn/feature.ts'
import { accountReported } from './account_reported.ts'
import { channelStatus } from './channel_status.ts'
import { ignoredPart, tellIgnored } from './ignored_callbacks.ts'
import { refreshChannel } from './refresh_channel.ts'
import { tellHeard } from './webhook_reports.ts'

export const channels = {
  inbound: { account: accountReported, ignored: ignoredPart },
  receivers: { channel_status: channelStatus, tell_heard: tellHeard, tell_ignored: tellIgnored },
  refreshes: { channel: refreshChannel },
} satisfies Feature
