/**
 * Which way a committed message takes: the short one, straight into the inlet of a partition that this node holds, else
 * the road.
 *
 * Both ways lead to the same inlet, which goes by number: what comes on both is taken once, what comes on neither is read
 * from the outbox. So the choice may be wrong. A node that lost a partition without knowing delivers to actors whose commits the
 * fence will refuse; the new owner's sweep finds the messages in the outbox.
 */
import type { Inlet } from './inlet.ts'
import type { Sent } from './part.ts'
import type { Transport } from './ports.ts'

type DispatchOptions = {
  road: Transport
  /** That of a partition held here, while it takes anything. */
  inlet(partition: number): Inlet | undefined
  /** False while others may have taken partitions without this node knowing: then the road tells whoever has them. */
  leased(): boolean
  /** Nothing goes the short way. */
  road_only: boolean
}

export class Dispatch {
  readonly #options: DispatchOptions
  readonly stats = { handed: 0 }

  constructor(options: DispatchOptions) {
    this.#options = options
  }

  /** Sends what a commit of the lane `source` sent, by partition in the order of its numbers. Never waits. */
  send(sent: Sent[], source: number): void {
    const { road, inlet, leased, road_only } = this.#options
    for (const [partition, group] of byPartition(sent)) {
      const here = road_only ? undefined : inlet(partition)
      if (here) this.#hand(here, group, source)
      if (!here || !leased()) road.publish(partition, group, source)
    }
  }

  #hand(inlet: Inlet, group: Sent[], source: number): void {
    this.stats.handed += group.length
    // What would run past is not even parsed.
    if (inlet.is_behind) return
    const messages = group.map(({ address, sender, json }) => {
      return { address, sender, message: JSON.parse(json), size: json.length }
    })
    const { number, former } = group[0]!
    inlet.receive({ source, first: number, former, messages })
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
