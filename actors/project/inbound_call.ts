/**
 * A call of a provider's webhook, verified and taken apart by the adapter of the channel it was addressed to. A call may
 * speak of several accounts; those whose channel has the very same secrets are believed.
 */
import type { Account, Inbound, Providers } from '../providers/mod.ts'
import type { InboundAnswer } from './protocol.ts'
import type { ProjectChannel, ProjectState } from './state.ts'

/** What the provider said, and the channel it is about. */
export type Said<K extends Inbound['kind'] = Inbound['kind']> = {
  channel: ProjectChannel
  item: Extract<Inbound, { kind: K }>
}

export type InboundCall = { answer: InboundAnswer; said: Said[] }

const refused = (status: number, body: string): InboundCall => ({ answer: { status, body }, said: [] })

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
  const said = items.flatMap((item): Said[] => {
    const channel = item.account === null ? addressed : channelOf(state, item.account, addressed)
    return channel ? [{ channel, item }] : []
  })
  return { answer: { status, body }, said }
}

export function accountOf({ id, name, provider_account_id, credentials }: ProjectChannel): Account {
  return { channel_id: id, name, provider_account_id, credentials }
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

/** The account that holds templates and Flows is the same, and so is the secret that proves what is said of it. */
export function isSameAccount(one: ProjectChannel, other: ProjectChannel): boolean {
  const { business_account_id } = one.credentials
  return (
    one.channel_type === other.channel_type &&
    business_account_id !== undefined &&
    business_account_id === other.credentials.business_account_id &&
    isSameApp(one, other)
  )
}

/** The signature proves who holds the secret of one channel; it speaks for another only if that has the same one. */
function isSameApp({ credentials: one }: ProjectChannel, { credentials: other }: ProjectChannel): boolean {
  return one.app_secret !== undefined && one.app_secret === other.app_secret
}
