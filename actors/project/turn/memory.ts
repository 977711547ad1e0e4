/** A feature's part of a project's memory, kept from turn to turn. It is made when it is first asked for. */
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

/** A state with the memory of features in it. */
export type Remembers = { memory: Map<object, unknown> }
