/**
 * Broadcasts of a node that wait to take recipients up, because all of them together are limited to a rate. The project
 * that has taken up the fewest is the next one. A project whose number is slow asks less often and leaves its share to
 * the others. A hint, in memory: a broadcast that is forgotten here asks again.
 */

/** A broadcast that is due for this long (milliseconds) and has not asked has ended, is stalled, or went to another node. */
const FORGOTTEN_MS = 5_000
/** Maximum wait for the next question (milliseconds), with up to `MANY` waiting; in proportion with more. */
const MAX_WAIT_MS = 1000
const MANY = 200
/** Unused time (milliseconds) that may be made up for, because those who wait come late. */
const LATE_MS = 100

/** `due`: the time at which it, or one of its broadcasts, is to ask again. */
type Project = { taken: number; due: number }
type Waiting = { project: Project; size: number; due: number }

export class BulkQueue {
  /** Time at which the next recipients may be taken up (`performance.now()`). */
  #free_at = Number.NEGATIVE_INFINITY
  readonly #waiting = new Map<string, Waiting>()
  readonly #projects = new Map<string, Project>()

  /**
   * Asks to take up `size` recipients at this moment, while `per_second` of all projects may. Returns 0 when they may be
   * taken up, and counts them; else the milliseconds after which the broadcast should ask again.
   */
  ask(id: string, project_id: string, size: number, per_second: number, now: number): number {
    this.#forget(now)
    const project = this.#project(project_id)
    project.due = Math.max(project.due, now)
    const mine = this.#waiting.get(id) ?? { project, size, due: now }
    Object.assign(mine, { size, due: now })
    this.#waiting.set(id, mine)
    const before = this.#before(mine)
    const is_next = !before.some(({ due }) => Math.abs(due - now) <= LATE_MS)
    if (this.#free_at <= now && is_next) {
      this.#waiting.delete(id)
      this.#free_at = Math.max(this.#free_at, now - LATE_MS) + (size * 1000) / per_second
      project.taken += size
      return 0
    }
    const ahead = before.reduce((sum, { size }) => sum + size, 0)
    // A question costs time in proportion to those who wait, so that many of them ask less often. Other work may have
    // ended by then.
    const max_ms = MAX_WAIT_MS * Math.max(1, this.#waiting.size / MANY)
    mine.due = Math.max(now + 1, Math.min(now + max_ms, Math.max(this.#free_at, now) + (ahead * 1000) / per_second))
    project.due = Math.max(project.due, mine.due)
    return mine.due - now
  }

  /** The broadcast waits no longer. */
  leave(id: string): void {
    this.#waiting.delete(id)
  }

  /** The broadcasts that come first. Each broadcast of a project counts after the project's earlier ones. */
  #before(mine: Waiting): Waiting[] {
    const planned = new Map<Project, number>()
    const starts = [...this.#waiting.values()].map((waiting) => {
      const start = planned.get(waiting.project) ?? waiting.project.taken
      planned.set(waiting.project, start + waiting.size)
      return { waiting, start }
    })
    const place = starts.findIndex(({ waiting }) => waiting === mine)
    const own = starts[place]!.start
    const first = starts.filter(({ start }, index) => start < own || (start === own && index < place))
    return first.map(({ waiting }) => waiting)
  }

  /** A project that is new here begins with as few as the present ones, not with none. */
  #project(project_id: string): Project {
    let project = this.#projects.get(project_id)
    if (!project) {
      let least = Number.POSITIVE_INFINITY
      for (const { taken } of this.#projects.values()) least = Math.min(least, taken)
      project = { taken: Number.isFinite(least) ? least : 0, due: 0 }
      this.#projects.set(project_id, project)
    }
    return project
  }

  #forget(now: number): void {
    for (const map of [this.#waiting, this.#projects])
      for (const [key, { due }] of map) if (now - due > FORGOTTEN_MS) map.delete(key)
  }
}
