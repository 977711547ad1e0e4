/** The consoles of this node by project: the first to watch opens the project's feed, the last to go closes it. */
import type { LiveFeed, LiveFeeds, Said } from '../../runtime/mod.ts'

type Ear = { said(project_id: string, said: Said): void; missed(project_id: string): void }

type Audience = { feed: Promise<LiveFeed>; watchers: number }

export class Audiences {
  readonly #feeds: LiveFeeds
  readonly #ear: Ear
  readonly #audiences = new Map<string, Audience>()

  constructor(feeds: LiveFeeds, ear: Ear) {
    this.#feeds = feeds
    this.#ear = ear
  }

  /**
   * Has somebody watch the project, or watch on. `begin` is called in the moment from which on the ear hears everything,
   * with what was said since `after`; undefined when that cannot be known. Rejects while the broker is away; then nobody
   * was added.
   */
  async resume(
    project_id: string,
    is_new: boolean,
    after: string | undefined,
    begin: (position: string, missed: Said[] | undefined) => void,
  ): Promise<void> {
    const audience = this.#audience(project_id)
    if (is_new) audience.watchers++
    try {
      const feed = await audience.feed
      await feed.resume(after, ({ position, said }) => begin(position, said))
    } catch (error) {
      if (is_new) this.#give(project_id, audience)
      throw error
    }
  }

  leave(project_id: string): void {
    const audience = this.#audiences.get(project_id)
    if (audience) this.#give(project_id, audience)
  }

  #audience(project_id: string): Audience {
    const known = this.#audiences.get(project_id)
    if (known) return known
    const feed = this.#feeds.open(project_id, {
      heard: (said) => this.#ear.said(project_id, said),
      missed: () => this.#ear.missed(project_id),
    })
    const audience = { feed, watchers: 0 }
    this.#audiences.set(project_id, audience)
    // The next who asks tries again.
    feed.catch(() => {
      if (this.#audiences.get(project_id) === audience) this.#audiences.delete(project_id)
    })
    return audience
  }

  #give(project_id: string, audience: Audience): void {
    if (--audience.watchers > 0) return
    const close = (feed: LiveFeed) => {
      // Somebody may have come while it was opened; a feed is closed before it is opened again.
      if (audience.watchers > 0 || this.#audiences.get(project_id) !== audience) return
      this.#audiences.delete(project_id)
      feed.close()
    }
    audience.feed.then(close, () => {})
  }
}
