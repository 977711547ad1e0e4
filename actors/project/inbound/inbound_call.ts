/**
 * A call of a provider's webhook, verified and parsed by the adapter of the addressed channel. A call may concern
 * several accounts; only accounts whose channel has exactly the same secrets are accepted.
 */
import { ignoredAccount, type Providers } from '../../providers/mod.ts'
import { accountOf, isSameApp } from '../channels/account.ts'
import type { CallItem } from '../turn/call_item.ts'
import type { ProjectChannel, ProjectState } from '../turn/state.ts'

/**
 * The answer to the provider. `items`: their number in the call, where it was asked for. `next`: the place to go on `from`;
 * missing when all are stored.
 */
export type InboundAnswer = { status: number; body: string; items?: number; next?: number }

export type InboundCall = { answer: InboundAnswer; said: CallItem[] }

const refused = (status: number, body: string): InboundCall => ({ answer: { status, body }, said: [] })

/** Verifies and parses a call. A refused call has no items. */
export function readInboundCall(
  state: ProjectState,
  { channel_id, raw, signature }: { channel_id: string; raw: string; signature: string | null },
  providers: Providers,
  now: Date,
): InboundCall {
  const addressed = state.channels.get(channel_id)
  const hook = addressed && providers.of(addressed)?.hook
  if (!hook) return refused(404, 'no such channel')
  const { status, body, items } = hook.read({ raw, signature }, accountOf(addressed), now)
  const said = items.flatMap((item): CallItem[] => {
    if (item.account === null) return [{ channel: addressed, item }]
    const channel = channelOf(state, item.account, addressed)
    return [channel ? { channel, item } : { channel: addressed, item: ignoredAccount(item.account) }]
  })
  return { answer: { status, body }, said }
}

function channelOf(state: ProjectState, account: string, addressed: ProjectChannel): ProjectChannel | undefined {
  if (account === addressed.provider_account_id) return addressed
  for (const channel of state.channels.values()) {
    const { provider_account_id, channel_type } = channel
    if (provider_account_id !== account || channel_type !== addressed.channel_type) continue
    if (isSameApp(channel, addressed)) return channel
  }
  return undefined
}
