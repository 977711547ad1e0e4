/**
 * A call of a provider's webhook, verified and parsed by the adapter of the addressed channel. A call may concern
 * several accounts; only accounts whose channel has exactly the same secrets are accepted.
 */
import { type Inbound, ignoredAccount, ignoredField, type Providers } from '../../providers/mod.ts'
import { accountOf, isSameApp } from '../channels/account.ts'
import type { CallItem } from '../turn/call_item.ts'
import type { ProjectChannel, ProjectState } from '../turn/state.ts'
import { sliceOf } from './call_slice.ts'
import { KeptCalls } from './kept_calls.ts'
import type { InboundAnswer, InboundCall, RawCall } from './raw_call.ts'

/** Items of a call. Those of the providers have a thousand, and 4 MiB have no room for so many real ones. */
const MAX_ITEMS = 20_000

const kept = new KeptCalls()

const refused = (status: number, body: string): InboundCall => ({ answer: { status, body }, said: [] })

/** Verifies and parses a call, and takes the part of it that is asked for. A refused call has no items. */
export function readInboundCall(state: ProjectState, call: RawCall, providers: Providers, now: Date): InboundCall {
  const addressed = state.channels.get(call.channel_id)
  const hook = addressed && providers.of(addressed)?.hook
  if (!hook) return refused(404, 'no such channel')
  const read = kept.find(addressed, call) ?? hook.read(call, accountOf(addressed), now)
  const { status, body, items } = read
  if (items.length > MAX_ITEMS)
    return refused(413, `a call has at most ${MAX_ITEMS} messages, statuses and other parts`)
  const { taken, ...counts } = partOf(items, call)
  const answer: InboundAnswer = { status, body, ...counts }
  if (goesOn(call, answer, items.length)) kept.keep(addressed, call, read)
  else kept.forget(addressed, call)
  const said = taken.map((item) => callItem(state, addressed, item))
  return { answer, said: isFailed(call) ? said.map(asUnstored) : said }
}

/** The items that are asked for, and what the answer says of the others. */
function partOf(
  items: Inbound[],
  { only, from }: RawCall,
): { taken: Inbound[] } & Pick<InboundAnswer, 'items' | 'next'> {
  if (only === 'count') return { taken: [], items: items.length }
  if (only !== undefined) return { taken: items.slice(only.index, only.index + 1) }
  return from === undefined ? { taken: items } : sliceOf(items, from)
}

function callItem(state: ProjectState, addressed: ProjectChannel, item: Inbound): CallItem {
  if (item.account === null) return { channel: addressed, item }
  const channel = channelOf(state, item.account, addressed)
  return channel ? { channel, item } : { channel: addressed, item: ignoredAccount(item.account) }
}

const isFailed = ({ only }: RawCall) => typeof only === 'object' && only.failed === true

const asUnstored = ({ channel, item }: CallItem): CallItem => ({
  channel,
  item: ignoredField(`unstored.${item.kind}`),
})

/** True when another turn will ask for a further part. */
function goesOn({ only }: RawCall, { next }: InboundAnswer, items: number): boolean {
  if (only === undefined) return next !== undefined
  return items > 1 && (only === 'count' || only.index < items - 1)
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
