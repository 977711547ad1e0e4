/** The operator changed a record that this actor caches. */
import type { Database } from '../../storage/mod.ts'
import type { ProjectTurn } from './events.ts'
import { isSameAccount, type Said } from './inbound_call.ts'
import type { Refreshed } from './protocol.ts'
import { toChannel } from './state.ts'

export function refresh(turn: ProjectTurn, { what, id }: { what: Refreshed; id: string }, database: Database): void {
  const { state, records } = turn
  // Names shown by GET /v1/me may be what changed.
  state.identities.clear()
  if (what === 'token') {
    const token = records.tokens.get(id)
    if (token) state.tokens.set(id, token)
    else state.tokens.delete(id)
  } else if (what === 'channel') {
    const row = records.channels.get(id)
    if (row) state.channels.set(id, toChannel(row, database))
    else state.channels.delete(id)
    state.templates.clear()
  } else if (what === 'limits') {
    if (records.project) {
      state.exists = true
      state.company_id = records.project.company_id
      state.limits = records.project.limits
    }
  } else if (what === 'crm') {
    state.crm = records.crm?.definitions
  } else {
    state.templates.clear()
  }
}

/** From the channel: whether the provider takes its credentials. */
export function channelStatus(
  turn: ProjectTurn,
  { channel_id, status }: { channel_id: string; status: 'connected' | 'disconnected'; reason: string | null },
): void {
  const channel = turn.state.channels.get(channel_id)
  if (channel) channel.status = status
}

/**
 * The provider cut an account off, or took it back, with all its numbers: each channel keeps its own status and says when it
 * changed.
 */
export function accountReported(turn: ProjectTurn, { channel, item }: Said<'account'>): void {
  const { status, reason } = item
  for (const one of turn.state.channels.values()) {
    if (one.id !== channel.id && (item.account !== null || !isSameAccount(channel, one))) continue
    turn.tell(`channel/${one.id}`, { type: 'account', status, reason })
  }
}
