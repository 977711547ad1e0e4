/** Owned partitions without actors: the ownership alone, taken and released as a node does it. */
import type { Store } from '../../runtime/commit/store.ts'
import type { Holder, Ownership } from './ownership.ts'

export class FakeOwnedPartitions {
  readonly #node: Holder
  readonly #store: Store
  readonly #ownership: Ownership
  readonly epochs = new Map<number, number>()

  constructor(node: Holder, store: Store, ownership: Ownership) {
    this.#node = node
    this.#store = store
    this.#ownership = ownership
  }

  async take(partitions: readonly { id: number; epoch: number }[]): Promise<Map<number, number>> {
    const epochs = await this.#store.take(this.#node.id, partitions)
    // The process may have been killed while PostgreSQL worked.
    if (!this.#node.isAlive) return epochs
    for (const [partition, epoch] of epochs) {
      this.epochs.set(partition, epoch)
      this.#ownership.hold(this.#node, partition)
    }
    return epochs
  }

  async release(partitions: number[]): Promise<void> {
    const held = partitions.flatMap((id) => (this.epochs.has(id) ? { id, epoch: this.epochs.get(id)! } : []))
    for (const { id } of held) this.drop(id)
    await this.#store.release(this.#node.id, held)
  }

  drop(partition: number): void {
    if (!this.epochs.delete(partition)) return
    this.#ownership.drop(this.#node, partition)
  }

  dropAll(): void {
    for (const partition of [...this.epochs.keys()]) this.drop(partition)
  }
}
