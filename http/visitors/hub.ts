/**
 * The sockets of visitors on this node. Events about a visitor are published to all nodes on the channel's subject; a
 * node listens to the channels of its visitors.
 *
 *  H1 A page that has joined gets every later event, or `sync`: read the stored conversation again.
 *  H2 An event may arrive twice, or before its message can be read. Pages recognise messages by their `ref`.
 */
import type { VisitorNote } from '../../actors/mod.ts'
import type { Bus } from '../../runtime/mod.ts'

/** The part of a page that receives events. */
type Listener = { emit(event: string, ...said: unknown[]): unknown }

type Channel<Page> = { people: Map<string, Set<Page>>; listening: Promise<() => void> }

const subjectOf = (channel_id: string) => `visitor.${channel_id}`

/** Publishes a note to all pages of this visitor. */
export function tellVisitor(bus: Bus, note: VisitorNote): void {
  bus.publish(subjectOf(note.channel_id), JSON.stringify(note))
}

export class VisitorHub<Page extends Listener> {
  readonly #bus: Bus
  readonly #channels = new Map<string, Channel<Page>>()
  readonly #heard: (page: Page, note: VisitorNote) => void

  /** `heard` is called before the page gets the note. */
  constructor(bus: Bus, heard: (page: Page, note: VisitorNote) => void) {
    this.#bus = bus
    this.#heard = heard
  }

  /** Resolves when H1 holds. */
  async join(channel_id: string, user_id: string, page: Page): Promise<void> {
    let channel = this.#channels.get(channel_id)
    if (!channel) {
      const people = new Map<string, Set<Page>>()
      const listening = this.#bus.listen(
        subjectOf(channel_id),
        (text) => this.#hear(people, text),
        () => this.#sync(people),
      )
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
      (stop) => stop(),
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

  #hear(people: Channel<Page>['people'], text: string): void {
    const note = JSON.parse(text) as VisitorNote
    for (const page of people.get(note.user_id) ?? []) {
      this.#heard(page, note)
      page.emit('message', note.message)
    }
  }

  #sync(people: Channel<Page>['people']): void {
    for (const pages of people.values()) for (const page of pages) page.emit('sync')
  }
}
