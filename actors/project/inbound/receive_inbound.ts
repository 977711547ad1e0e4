import { type Inbound, ignoredField } from '../../providers/mod.ts'
import { noteHeard } from '../channels/webhook_reports.ts'
import type { InboundItem, Receiver } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { sliceOf } from './call_slice.ts'
import { type InboundAnswer, type InboundCall, readInboundCall } from './inbound_call.ts'

/** A call of a provider's webhook, unparsed, because the signature covers the raw text. */
export type RawCall = {
  channel_id: string
  raw: string
  signature: string | null
  /**
   * One item of a call that failed as a whole; `count` asks how many there are, and receives none. `failed` counts it as
   * left out.
   */
  only?: 'count' | { index: number; failed?: true }
  /**
   * The place in the call up to which all is stored. The asker goes on with the `next` of the answer until it has none; one that does not say
   * `from` would lose the rest, so its turn takes all.
   */
  from?: number
}

/** The calls of a turn by message, verified and parsed before the turn. Reads nothing. */
const callReads: ReadKind<Map<RawCall, InboundCall>, { calls: Map<RawCall, InboundCall> | undefined }> = {
  wanted: () => new Map(),
  found: () => ({ calls: undefined }),
  read(found, calls) {
    found.calls = calls
    return undefined
  },
}

/** The feature part for each kind of item. */
export type InboundItems = { [K in Inbound['kind']]: InboundItem<K> }

/** Receives calls of webhooks and passes their items to the parts. */
export function receiveInbound(items: InboundItems): Receiver<RawCall, InboundAnswer> {
  const itemOf = (kind: Inbound['kind']) => items[kind] as InboundItem<Inbound['kind']>
  return {
    reads(reads, message, { providers }) {
      const call = partOf(readInboundCall(reads.state, message, providers, reads.now), message)
      reads.of(callReads).set(message, call)
      for (const said of call.said) itemOf(said.item.kind).reads?.(reads, said)
    },
    receive(turn, message, context) {
      const { answer, said } = turn.records.of(callReads).calls!.get(message)!
      // Only messages count: most statuses are those of bulk sends.
      if (said.some(({ item }) => item.kind === 'message')) context.foreground.noteTurn(turn)
      for (const one of said) itemOf(one.item.kind).receive(turn, one, context)
      // Calls for other accounts say nothing about those of this one.
      noteHeard(
        turn,
        said.filter(({ item }) => item.kind !== 'ignored' || item.what !== 'account'),
      )
      return answer
    },
  }
}

/** The call, or the items of it that are asked for. */
function partOf({ answer, said }: InboundCall, { only, from }: RawCall): InboundCall {
  if (only === undefined) return from === undefined ? { answer, said } : sliceOf({ answer, said }, from)
  if (only === 'count') return { answer: { ...answer, items: said.length }, said: [] }
  const item = said[only.index]
  if (!item) return { answer, said: [] }
  if (!only.failed) return { answer, said: [item] }
  return { answer, said: [{ channel: item.channel, item: ignoredField(`unstored.${item.item.kind}`) }] }
}
