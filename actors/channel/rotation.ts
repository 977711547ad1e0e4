/** Names in groups that take turns; within a group, first come, first served. Each name is in one group at most. */
export class Rotation {
  /** The group whose turn it is comes first. None is empty. */
  readonly #groups = new Map<string, Set<string>>()
  readonly #group_of = new Map<string, string>()

  get size(): number {
    return this.#group_of.size
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

  /** Takes the first name of the group whose turn it is. */
  next(): string | undefined {
    for (const [group, names] of this.#groups) {
      const [name] = names as Set<string> & Iterable<string, undefined>
      this.delete(name!)
      // Behind the others, if anybody is left of it.
      if (this.#groups.delete(group)) this.#groups.set(group, names)
      return name
    }
    return undefined
  }
}
