export type Due = { due: number }

/** A binary heap: the entry that is due first comes first. */
export class DueHeap<Entry extends Due> {
  readonly #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  get first(): Entry | undefined {
    return this.#entries[0]
  }

  push(entry: Entry): void {
    const entries = this.#entries
    let at = entries.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (entries[parent]!.due <= entry.due) break
      entries[at] = entries[parent]!
      at = parent
    }
    entries[at] = entry
  }

  /** Removes the first entry. */
  pop(): Entry | undefined {
    const entries = this.#entries
    const first = entries[0]
    const last = entries.pop()
    if (entries.length === 0 || last === undefined) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= entries.length) break
      if (child + 1 < entries.length && entries[child + 1]!.due < entries[child]!.due) child++
      if (entries[child]!.due >= last.due) break
      entries[at] = entries[child]!
      at = child
    }
    entries[at] = last
    return first
  }

  clear(): void {
    this.#entries.length = 0
  }
}
