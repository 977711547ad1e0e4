/** Tells consoles who writes to their project's people: visitors of the web chat, and assistants. Nothing is stored. */
import { hearAssistantTyping, hearVisitorTyping } from '../../../actors/mod.ts'
import type { Bus } from '../../../runtime/mod.ts'
import type { FanOut } from './fan_out.ts'

export class TypingNews {
  readonly #bus: Bus
  readonly #fan_out: FanOut
  /** Ends of listening, by the projects that this node's consoles watch. */
  readonly #heard = new Map<string, Promise<() => void>[]>()

  constructor(bus: Bus, fan_out: FanOut) {
    this.#bus = bus
    this.#fan_out = fan_out
  }

  watch(project_id: string): void {
    if (this.#heard.has(project_id)) return
    const tell = (type: string, data: object) => this.#fan_out.tellNotice(project_id, type, data)
    this.#heard.set(project_id, [
      hearVisitorTyping(this.#bus, project_id, ({ chat_user, typing }) =>
        tell('visitor.typing', { chat_user, typing }),
      ),
      hearAssistantTyping(this.#bus, project_id, ({ ticket_id, assistant_id, typing }) =>
        tell('assistant.typing', { ticket_id, assistant_id, typing }),
      ),
    ])
  }

  /** A socket watches the project no more. */
  leave(project_id: string): void {
    if (this.#fan_out.watchers(project_id) === 0) this.#end(project_id)
  }

  close(): void {
    for (const project_id of this.#heard.keys()) this.#end(project_id)
  }

  #end(project_id: string): void {
    for (const listening of this.#heard.get(project_id) ?? []) void listening.then((stop) => stop())
    this.#heard.delete(project_id)
  }
}
