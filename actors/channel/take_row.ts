import { isDeepStrictEqual } from 'node:util'
import type { Channel, ChannelStatus } from '../../storage/mod.ts'
import type { Providers } from '../providers/mod.ts'
import { endAnnouncement } from './announced_change.ts'
import { tellStatus } from './health.ts'
import { Pacer } from './pace.ts'
import type { ChannelTurn, Refresh } from './protocol.ts'
import { type ChannelConfig, paceOf } from './state.ts'

/** Takes the row that was read for this turn, and publishes its status if subscribers do not know it. */
export function takeRow(
  turn: ChannelTurn,
  refresh: Refresh,
  toConfig: (row: Channel) => ChannelConfig,
  providers: Providers,
): void {
  const { state, records, key: id } = turn
  const { late } = refresh
  const former = state.config
  const announced = endAnnouncement(turn) ?? late
  state.config = records.row ? toConfig(records.row) : null
  if (late) turn.tell(`project/${late.project_id}`, { type: 'refresh', what: 'channel', id })
  if (!state.config) return
  if (former && !isDeepStrictEqual(former.credentials, state.config.credentials))
    state.credentials_since = performance.now()
  state.pacer = new Pacer(paceOf(state.config, providers))
  const known = announced ? [announced.was] : statusesBefore(refresh, former?.status, state.has_told)
  const { status } = state.config
  if (known.some((one) => one !== undefined && one !== status)) tellStatus(turn)
}

/** The statuses of which subscribers may know. A state that was loaded since the change has the new status only. */
function statusesBefore(
  { is_announced, is_new, was }: Refresh,
  former: ChannelStatus | undefined,
  has_told: boolean,
): (ChannelStatus | undefined)[] {
  // A turn before has ended the announcement.
  if (is_announced) return [former]
  return [former, is_new ? 'unverified' : has_told ? undefined : was]
}
