/** The health of a channel, derived from the provider's answers, regular probes and webhook calls. */
import { Channel, type ChannelStatus } from '../../storage/mod.ts'
import type { ProbeResult } from '../providers/mod.ts'
import { published } from './announced_change.ts'
import { DEAF } from './callback_monitor.ts'
import type { ChannelHealth, ChannelTurn } from './protocol.ts'
import type { ChannelState } from './state.ts'

/** Consecutive unanswered probes before that is reported. */
const UNREACHABLE = 3

/** Pause between two notes in the channel's row that calls arrive. Milliseconds. */
const HEARD_MS = 86_400_000

function keepHeard(turn: ChannelTurn, callbacks_heard_at: Date | null): void {
  const { config } = turn.state
  if (!config) return
  config.callbacks_heard_at = callbacks_heard_at
  turn.update(Channel, { _id: config.id }, { callbacks_heard_at })
}

/** A deleted channel has no status. */
export function setStatus(turn: ChannelTurn, status: ChannelStatus, reason: string | null): void {
  const { config } = turn.state
  if (!config || (config.status === status && config.status_reason === reason)) return
  const is_change = config.status !== status
  Object.assign(config, { status, status_reason: reason })
  turn.update(Channel, { _id: config.id }, { status, status_reason: reason, updated_at: turn.now })
  if (is_change) tellStatus(turn)
}

/** Changes to or from unverified are not published: the channel has neither begun to work nor stopped. */
export function tellStatus(turn: ChannelTurn): void {
  const { id: channel_id, project_id, status, status_reason: reason } = turn.state.config!
  if (status === 'unverified') return
  turn.state.has_told = true
  published(turn, status)
  turn.tell(`project/${project_id}`, { type: 'channel_status', channel_id, status, reason })
}

/**
 * True when the credentials were changed after this call of the provider began (`performance.now()`): its answer says
 * nothing about the present ones.
 */
export function hadFormerCredentials({ credentials_since }: ChannelState, began_at: number): boolean {
  return began_at < credentials_since
}

/** The provider takes messages. That does not prove that its webhook calls arrive. */
export function works(turn: ChannelTurn): void {
  if (turn.state.config?.status_reason !== DEAF) setStatus(turn, 'connected', null)
}

/** Applies the result of a probe to the channel. `probe_ms`: time between two probes. */
export function judge(turn: ChannelTurn, verdict: ProbeResult, probe_ms: number): void {
  const { state } = turn
  if (verdict.is === 'gone') {
    state.unreachable = 0
    setStatus(turn, 'disconnected', verdict.reason)
    return
  }
  if (verdict.is === 'unreachable') {
    state.unreachable++
    if (state.config!.status === 'unverified') setStatus(turn, 'unverified', verdict.reason)
    else if (state.unreachable >= UNREACHABLE) setStatus(turn, 'disconnected', verdict.reason)
    return
  }
  state.unreachable = 0
  if (state.callback_monitor.isDeaf(performance.now(), probe_ms)) {
    state.callback_monitor.silenced()
    keepHeard(turn, null)
    setStatus(turn, 'disconnected', DEAF)
  } else works(turn)
}

/** A webhook call of the provider arrived. */
export function heard(turn: ChannelTurn): void {
  const { state } = turn
  state.callback_monitor.heard()
  const { callbacks_heard_at } = state.config ?? {}
  if (!callbacks_heard_at || turn.now.getTime() - callbacks_heard_at.getTime() > HEARD_MS) keepHeard(turn, turn.now)
  if (state.config?.status_reason === DEAF) setStatus(turn, 'connected', null)
}

/** How sending goes, for people. */
export function healthOf({ paused_until, breaker, running, unreachable }: ChannelState, now: Date): ChannelHealth {
  return {
    paused_until: paused_until > now.getTime() ? paused_until : null,
    is_trying: breaker.is_half_open,
    running: running.size,
    unanswered_probes: unreachable,
  }
}
