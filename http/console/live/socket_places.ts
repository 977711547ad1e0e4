/** Bounds of the sockets of one node: of each session, each user and each project. */

/** A browser has a socket for each tab. */
const OF_SESSION = 100
const OF_USER = 200
/** Leaves room for other projects. */
const OF_PROJECT = 8000

type Bounds = { session: number; user: number; project: number }
export type Place = [kind: keyof Bounds, id: string]

export class SocketPlaces {
  readonly #bounds: Bounds
  /** Sockets by kind and id. Zero is not kept. */
  readonly #taken = new Map<string, number>()

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { session: OF_SESSION, user: OF_USER, project: OF_PROJECT, ...bounds }
  }

  /** True when each has a place left. */
  has(...places: Place[]): boolean {
    return places.every(([kind, id]) => (this.#taken.get(`${kind} ${id}`) ?? 0) < this.#bounds[kind])
  }

  /** Takes a place of each. Returns false, and takes none, when one has no place left. */
  take(...places: Place[]): boolean {
    if (!this.has(...places)) return false
    for (const [kind, id] of places) this.#taken.set(`${kind} ${id}`, (this.#taken.get(`${kind} ${id}`) ?? 0) + 1)
    return true
  }

  give(...places: Place[]): void {
    for (const [kind, id] of places) {
      const left = (this.#taken.get(`${kind} ${id}`) ?? 0) - 1
      if (left > 0) this.#taken.set(`${kind} ${id}`, left)
      else this.#taken.delete(`${kind} ${id}`)
    }
  }
}

/** The places of a socket, beside those of its projects. */
export function placesOf({ hash, user_id }: { hash: string; user_id: string }): Place[] {
  return [
    ['session', hash],
    ['user', user_id],
  ]
}
