/** The polls that wait at this node: bounded for a project and in all. The one that has to end is answered at once. */
import { FairLine } from '../../../runtime/mod.ts'
import type { Listener } from './delivery_news.ts'

const MAX = 192
const MAX_OF_PROJECT = 32

export type Waiting = { project_id: string; listener: Pick<Listener, 'end'> }

export class WaitingPolls {
  readonly #line = new FairLine<Waiting>()

  /** A project with its share ends its own oldest wait; when all places are taken, the project with most waits does. */
  enter(waiting: Waiting): void {
    const line = this.#line
    const { project_id } = waiting
    const is_crowded = line.sizeOf(project_id) >= MAX_OF_PROJECT
    const crowded = is_crowded ? project_id : line.size >= MAX ? line.largest() : undefined
    const oldest = crowded === undefined ? undefined : line.oldest(crowded)
    if (oldest) {
      this.leave(oldest)
      oldest.listener.end()
    }
    line.add(project_id, waiting)
  }

  /** May be called again. */
  leave(waiting: Waiting): void {
    this.#line.remove(waiting.project_id, waiting)
  }
}
