/**
 * Routes a committed message: by the short way, straight into the inbox of a partition that this node holds, else by
 * the transport.
 *
 * Both ways lead to the same inbox, which goes by number: a message that comes on both is taken once, a message that
 * comes on neither is read from the outbox. So the choice may be wrong. A node that lost a partition without knowing
 * delivers to actors whose commits the fence refuses; the new owner's sweep finds the messages in the outbox.
 */

import type { Sent } from '../actor/pending_turn.ts'
import type { Inbox } from './inbox.ts'
import type { Transport } from './ports.ts'

type MessageRouterOptions = {
  transport: Transport
  /** The inbox of a partition held here, while it takes messages. */
  inbox(partition: number): Inbox | undefined
  /** False while other nodes may have taken partitions without this node knowing: then messages go by the transport as well. */
  leased(): boolean
  /** No message goes the short way. */
  transport_only: boolean
}

export class MessageRouter {
  readonly #options: MessageRouterOptions
  readonly stats = { handed: 0 }

  constructor(options: MessageRouterOptions) {
    this.#options = options
  }

  /** Sends the messages of a commit of the lane `source`, by partition in the order of their numbers. Never waits. */
  send(sent: Sent[], source: number): void {
    const { transport, inbox, leased, transport_only } = this.#options
    for (const [partition, group] of byPartition(sent)) {
      const here = transport_only ? undefined : inbox(partition)
      if (here) this.#hand(here, group, source)
      if (!here || !leased()) transport.publish(partition, group, source)
    }
  }

  #hand(inbox: Inbox, group: Sent[], source: number): void {
    this.stats.handed += group.length
    // Messages that would run past are not even parsed.
    if (inbox.is_behind) return
    const messages = group.map(({ address, sender, json, early }) => {
      // The inbox passes over a message that its receiver has.
      const message = early?.is_kept ? early.message : JSON.parse(json)
      return { address, sender, message, size: json.length }
    })
    const { number, former } = group[0]!
    inbox.receive({ source, first: number, former, messages })
  }
}

function byPartition(sent: Sent[]): Map<number, Sent[]> {
  const groups = new Map<number, Sent[]>()
  for (const send of sent) {
    const group = groups.get(send.partition)
    if (group) group.push(send)
    else groups.set(send.partition, [send])
  }
  return groups
}
