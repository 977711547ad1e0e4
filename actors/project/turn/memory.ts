/** A feature's part of a project's memory, kept from turn to turn. Created on first use. */
export class Memory<Kept> {
  readonly #create: () => Kept

  constructor(create: () => Kept) {
    this.#create = create
  }

  /** The part of this project. */
  of({ memory }: Remembers): Kept {
    let kept = memory.get(this) as Kept | undefined
    if (kept === undefined) {
      kept = this.#create()
      memory.set(this, kept)
    }
    return kept
  }
}

/** A state that holds the memory of features. */
export type Remembers = { memory: Map<object, unknown> }
