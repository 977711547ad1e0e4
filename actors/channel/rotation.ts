/** Round robin over groups of names; within a group, first come, first served. Each name is in one group at most. */
export class Rotation {
  /** The next group comes first. None is empty. */
  readonly #groups = new Map<string, Set<string>>()
  readonly #group_of = new Map<string, string>()

  get size(): number {
    return this.#group_of.size
  }

  has(name: string): boolean {
    return this.#group_of.has(name)
  }

  /** Adds a name that is in no group. */
  add(name: string, group: string): void {
    const names = this.#groups.get(group)
    if (names) names.add(name)
    else this.#groups.set(group, new Set([name]))
    this.#group_of.set(name, group)
  }

  delete(name: string): void {
    const group = this.#group_of.get(name)
    if (group === undefined) return
    this.#group_of.delete(name)
    const names = this.#groups.get(group)!
    names.delete(name)
    if (names.size === 0) this.#groups.delete(group)
  }

  /** Takes the first name of the next group. */
  next(): string | undefined {
    for (const [group, names] of this.#groups) {
      const [name] = names as Set<string> & Iterable<string, undefined>
      this.delete(name!)
      // The group goes behind the others, if it has names left.
      if (this.#groups.delete(group)) this.#groups.set(group, names)
      return name
    }
    return undefined
  }
}
