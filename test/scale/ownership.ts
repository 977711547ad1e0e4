/**
 * The partitions that each node believes to hold, noted at the moment of each change. A partition that two nodes hold,
 * both under a valid lease, is a finding: one of them would answer from memory what the other has changed.
 */
export type Holder = { readonly id: string; readonly isAlive: boolean; readonly isLeased: boolean }

const MAX_FINDINGS = 20

export class Ownership {
  readonly #holders: Set<Holder>[]
  readonly #now: () => number
  /** The time since which each partition is without a living owner; undefined while it has one. */
  readonly #lost_at: (number | undefined)[]
  readonly findings: string[] = []
  /**
   * The times in which partitions had no living owner with a lease, for partitions that got one again since `begin`.
   */
  gaps_ms: number[] = []
  moves = 0

  constructor(partitions: number, now: () => number) {
    this.#now = now
    this.#holders = Array.from({ length: partitions }, () => new Set())
    this.#lost_at = new Array<number | undefined>(partitions).fill(now())
  }

  /** Counts gaps and moves anew. */
  begin(): void {
    this.gaps_ms = []
    this.moves = 0
  }

  /** The number of partitions that no living node holds. */
  get unserved(): number {
    return this.#lost_at.reduce<number>((sum, at) => sum + Number(at !== undefined), 0)
  }

  hold(node: Holder, partition: number): void {
    this.moves++
    this.#holders[partition]!.add(node)
    this.check(node, [partition])
    const lost_at = this.#lost_at[partition]
    if (lost_at !== undefined) this.gaps_ms.push(this.#now() - lost_at)
    this.#lost_at[partition] = undefined
  }

  drop(node: Holder, partition: number): void {
    this.#holders[partition]!.delete(node)
    this.#note(partition)
  }

  /** Notes that a node is dead. Its memory stays. */
  died(partitions: Iterable<number>): void {
    for (const partition of partitions) this.#note(partition)
  }

  /** Reports any other node that holds, under a lease, a partition that this node holds under its lease. */
  check(node: Holder, partitions: Iterable<number>): void {
    for (const partition of partitions) {
      for (const other of this.#holders[partition]!) {
        if (other === node || !other.isLeased || !node.isLeased || this.findings.length >= MAX_FINDINGS) continue
        this.findings.push(`partition ${partition} is held by ${node.id} and ${other.id}, both leased`)
      }
    }
  }

  #note(partition: number): void {
    const is_served = [...this.#holders[partition]!].some(({ isAlive }) => isAlive)
    if (!is_served) this.#lost_at[partition] ??= this.#now()
  }
}
