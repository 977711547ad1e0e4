import type { Inbound } from '../../providers/mod.ts'
import { noteHeard } from '../channels/webhook_reports.ts'
import type { InboundItem, Receiver } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { readInboundCall } from './inbound_call.ts'
import type { InboundAnswer, InboundCall, RawCall } from './raw_call.ts'

/** The calls of a turn by message, verified and parsed before the turn. Reads nothing. */
const callReads: ReadKind<Map<RawCall, InboundCall>, { calls: Map<RawCall, InboundCall> | undefined }> = {
  keys: () => new Map(),
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
      const call = readInboundCall(reads.state, message, providers, reads.now)
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
