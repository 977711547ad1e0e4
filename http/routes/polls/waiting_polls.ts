/** The polls that wait at this node: bounded for a project and in all. The one that has to end is answered at once. */
import type { Listener } from './delivery_news.ts'

const MOST = 192
const MOST_OF_PROJECT = 32

export type Waiting = { project_id: string; listener: Pick<Listener, 'end'> }

export class WaitingPolls {
  /** By project, the oldest first. */
  readonly #projects = new Map<string, Set<Waiting>>()
  #count = 0

  /** A project with its share ends its own oldest wait; when all places are taken, the project with most waits does. */
  enter(waiting: Waiting): void {
    const own = this.#projects.get(waiting.project_id)
    const crowded = own && own.size >= MOST_OF_PROJECT ? own : this.#count >= MOST ? this.#largest() : undefined
    const oldest = crowded?.values().next().value
    if (oldest) {
      this.leave(oldest)
      oldest.listener.end()
    }
    const all = this.#projects.get(waiting.project_id) ?? new Set()
    this.#projects.set(waiting.project_id, all.add(waiting))
    this.#count++
  }

  /** May be called again. */
  leave(waiting: Waiting): void {
    const all = this.#projects.get(waiting.project_id)
    if (!all?.delete(waiting)) return
    this.#count--
    if (all.size === 0) this.#projects.delete(waiting.project_id)
  }

  #largest(): Set<Waiting> | undefined {
    let largest: Set<Waiting> | undefined
    for (const all of this.#projects.values()) if (!largest || all.size > largest.size) largest = all
    return largest
  }
}
