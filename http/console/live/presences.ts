/** The presence of agents in all projects that this node's consoles watch. */
import type { Bus } from '../../../runtime/mod.ts'
import type { FanOut, Watcher } from './fan_out.ts'
import { ProjectPresence, REPEATED_MS } from './project_presence.ts'

type Watched = { presence: ProjectPresence; listening: Promise<() => void> }

export class Presences {
  readonly #node: string
  readonly #bus: Bus
  readonly #fan_out: FanOut
  readonly #projects = new Map<string, Watched>()
  readonly #timer: NodeJS.Timeout

  constructor(node: string, bus: Bus, fan_out: FanOut) {
    this.#node = node
    this.#bus = bus
    this.#fan_out = fan_out
    this.#timer = setInterval(() => this.#repeat(), REPEATED_MS)
    this.#timer.unref()
  }

  /** The presence in a project with watchers. */
  of(project_id: string): ProjectPresence {
    const known = this.#projects.get(project_id)
    if (known) return known.presence
    const subject = `console.presence.${project_id}`
    const presence = new ProjectPresence({
      node: this.#node,
      say: (text) => this.#bus.publish(subject, text),
      show: (ticket_id, users) => this.#fan_out.tell(project_id, 'presence', { project_id, ticket_id, users }),
      watchers: () => this.#fan_out.watchers(project_id),
    })
    const listening = this.#bus.listen(
      subject,
      (text) => presence.hear(text),
      () => presence.open(),
    )
    this.#projects.set(project_id, { presence, listening })
    void listening.then(() => presence.open())
    return presence
  }

  /** The socket watches the project no more. */
  leave(socket: Watcher, project_id: string): void {
    const watched = this.#projects.get(project_id)
    watched?.presence.leave(socket.id)
    if (watched && this.#fan_out.watchers(project_id) === 0) this.#close(project_id, watched)
  }

  close(): void {
    clearInterval(this.#timer)
    for (const [project_id, watched] of this.#projects) this.#close(project_id, watched)
  }

  #close(project_id: string, { presence, listening }: Watched): void {
    this.#projects.delete(project_id)
    presence.close()
    void listening.then((stop) => stop())
  }

  #repeat(): void {
    for (const { presence } of this.#projects.values()) presence.repeat()
  }
}
