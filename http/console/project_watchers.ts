/** The consoles of this node by project: the first to watch opens the project's feed, the last to go closes it. */
import type { LiveFeed, LiveFeeds, Said } from '../../runtime/mod.ts'

type Ear = { said(project_id: string, said: Said): void; missed(project_id: string): void }

type ProjectWatcher = { feed: Promise<LiveFeed>; watchers: number }

export class ProjectWatchers {
  readonly #feeds: LiveFeeds
  readonly #ear: Ear
  readonly #projectWatchers = new Map<string, ProjectWatcher>()

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
    const projectWatcher = this.#projectWatcher(project_id)
    if (is_new) projectWatcher.watchers++
    try {
      const feed = await projectWatcher.feed
      await feed.resume(after, ({ position, said }) => begin(position, said))
    } catch (error) {
      if (is_new) this.#give(project_id, projectWatcher)
      throw error
    }
  }

  leave(project_id: string): void {
    const projectWatcher = this.#projectWatchers.get(project_id)
    if (projectWatcher) this.#give(project_id, projectWatcher)
  }

  #projectWatcher(project_id: string): ProjectWatcher {
    const known = this.#projectWatchers.get(project_id)
    if (known) return known
    const feed = this.#feeds.open(project_id, {
      heard: (said) => this.#ear.said(project_id, said),
      missed: () => this.#ear.missed(project_id),
    })
    const projectWatcher = { feed, watchers: 0 }
    this.#projectWatchers.set(project_id, projectWatcher)
    // The next who asks tries again.
    feed.catch(() => {
      if (this.#projectWatchers.get(project_id) === projectWatcher) this.#projectWatchers.delete(project_id)
    })
    return projectWatcher
  }

  #give(project_id: string, projectWatcher: ProjectWatcher): void {
    if (--projectWatcher.watchers > 0) return
    const close = (feed: LiveFeed) => {
      // Somebody may have come while it was opened; a feed is closed before it is opened again.
      if (projectWatcher.watchers > 0 || this.#projectWatchers.get(project_id) !== projectWatcher) return
      this.#projectWatchers.delete(project_id)
      feed.close()
    }
    projectWatcher.feed.then(close, () => {})
  }
}
