/**
 * Knows which people type right now, so that an assistant does not answer in the middle of a thought. Only people of the web chat tell
 * it, over the bus. A node listens to the projects whose conversations gather on it.
 */

/** Listens to the visitors of a project who type, or stop; resolves to the end of listening. */
type HearTyping = (
  project_id: string,
  heard: (typing: { chat_user: string; typing: boolean }) => void,
) => Promise<() => void>

/** Projects that are listened to at once. People of others are answered without it. */
const MAX_PROJECTS = 1_000
/** People whose typing is known at once, of a project. */
const MAX_PEOPLE = 10_000
/** Pages repeat that somebody types every three seconds. Milliseconds. */
const TYPING_MS = 3_500
/** A conversation gathers for less. Milliseconds. */
const HEARD_MS = 30_000

type Heard = {
  stop: Promise<(() => void) | undefined>
  /** The moment at which each person typed, by `performance.now()`. */
  people: Map<string, number>
  timer: NodeJS.Timeout
}

export class TypingPeople {
  readonly #hear: HearTyping
  readonly #projects = new Map<string, Heard>()

  constructor(hear: HearTyping) {
    this.#hear = hear
  }

  /** Listens to the project for a while. What the person typed so far is a message now. */
  listen(project_id: string, chat_user: string): void {
    const known = this.#projects.get(project_id)
    if (known) {
      known.people.delete(chat_user)
      known.timer.refresh()
      return
    }
    if (this.#projects.size >= MAX_PROJECTS) return
    const people = new Map<string, number>()
    const stop = this.#hear(project_id, ({ chat_user, typing }) => {
      people.delete(chat_user)
      if (typing && people.size < MAX_PEOPLE) people.set(chat_user, performance.now())
    }).catch(() => undefined)
    const timer = setTimeout(() => this.#forget(project_id), HEARD_MS)
    timer.unref()
    this.#projects.set(project_id, { stop, people, timer })
  }

  isTyping(project_id: string, chat_user: string): boolean {
    const typed_at = this.#projects.get(project_id)?.people.get(chat_user)
    return typed_at !== undefined && performance.now() - typed_at <= TYPING_MS
  }

  close(): void {
    for (const project_id of [...this.#projects.keys()]) this.#forget(project_id)
  }

  #forget(project_id: string): void {
    const known = this.#projects.get(project_id)
    if (!known) return
    this.#projects.delete(project_id)
    clearTimeout(known.timer)
    void known.stop.then((stop) => stop?.())
  }
}
