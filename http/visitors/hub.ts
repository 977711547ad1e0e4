/**
 * The sockets of visitors on this node. Events about a visitor are published to all nodes on the channel's subject; a
 * node listens to the channels of its visitors.
 *
 *  H1 A page that has joined gets every later event, or `sync`: read the stored conversation again.
 *  H2 An event may arrive twice, or before its message can be read. Pages recognise messages by their `ref`.
 */
import { answerForVisitors, hearVisitors, type VisitorNote, type VisitorSign } from '../../actors/mod.ts'
import type { Bus } from '../../runtime/mod.ts'

/** The part of a page that receives events. */
type Listener = { emit(event: string, ...said: unknown[]): unknown }

/** `heard` is called before the page gets the message, `ended` with the hash of a session that has ended. */
type Rules<Page> = {
  heard: (page: Page, note: VisitorNote) => void
  ended: (page: Page, hash: string) => void
}

type Channel<Page> = { people: Map<string, Set<Page>>; listening: Promise<(() => void)[]> }

export class VisitorHub<Page extends Listener> {
  readonly #bus: Bus
  readonly #channels = new Map<string, Channel<Page>>()
  readonly #rules: Rules<Page>

  constructor(bus: Bus, rules: Rules<Page>) {
    this.#bus = bus
    this.#rules = rules
  }

  /** Resolves when H1 holds. */
  async join(channel_id: string, user_id: string, page: Page): Promise<void> {
    let channel = this.#channels.get(channel_id)
    if (!channel) {
      const people = new Map<string, Set<Page>>()
      const listening = Promise.all([
        hearVisitors(
          this.#bus,
          channel_id,
          (sign) => this.#hear(people, sign),
          () => this.#sync(people),
        ),
        answerForVisitors(this.#bus, channel_id, (user_id) => people.has(user_id)),
      ])
      channel = { people, listening }
      this.#channels.set(channel_id, channel)
    }
    const pages = channel.people.get(user_id)
    if (pages) pages.add(page)
    else channel.people.set(user_id, new Set([page]))
    await channel.listening
  }

  leave(channel_id: string, user_id: string, page: Page): void {
    const channel = this.#channels.get(channel_id)
    const pages = channel?.people.get(user_id)
    if (!channel || !pages?.delete(page)) return
    if (pages.size === 0) channel.people.delete(user_id)
    if (channel.people.size > 0) return
    this.#channels.delete(channel_id)
    channel.listening.then(
      (stops) => {
        for (const stop of stops) stop()
      },
      () => {},
    )
  }

  /** The channels with joined pages. */
  get channel_ids(): string[] {
    return [...this.#channels.keys()]
  }

  pagesOf(channel_id: string): Page[] {
    return [...(this.#channels.get(channel_id)?.people.values() ?? [])].flatMap((pages) => [...pages])
  }

  #hear(people: Channel<Page>['people'], sign: VisitorSign): void {
    for (const page of [...(people.get(sign.user_id) ?? [])]) {
      if ('ended' in sign) this.#rules.ended(page, sign.ended.hash)
      else if ('typing' in sign) page.emit('typing', sign.typing)
      else if ('read' in sign) page.emit('read', sign.read)
      else {
        this.#rules.heard(page, sign)
        page.emit('message', sign.message)
      }
    }
  }

  #sync(people: Channel<Page>['people']): void {
    for (const pages of people.values()) for (const page of pages) page.emit('sync')
  }
}
