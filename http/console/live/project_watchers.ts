/** The consoles of this node by project: the first watcher opens the project's feed, the last one closes it. */
import type { EventBatch, LiveFeed, LiveFeeds } from '../../../runtime/mod.ts'

type Listener = { received(project_id: string, batch: EventBatch): void; missed(project_id: string): void }

type ProjectWatcher = { feed: Promise<LiveFeed>; watchers: number }

export class ProjectWatchers {
  readonly #feeds: LiveFeeds
  readonly #listener: Listener
  readonly #project_watchers = new Map<string, ProjectWatcher>()

  constructor(feeds: LiveFeeds, listener: Listener) {
    this.#feeds = feeds
    this.#listener = listener
  }

  /**
   * Adds a watcher of the project, or continues one. `begin` is called in the moment from which the listener receives
   * every event, with the events since `after`; undefined when these cannot be known. Rejects while the broker is away;
   * then no watcher was added.
   */
  async resume(
    project_id: string,
    is_new: boolean,
    after: string | undefined,
    begin: (position: string, missed: EventBatch[] | undefined) => void,
  ): Promise<void> {
    const project_watcher = this.#projectWatcher(project_id)
    if (is_new) project_watcher.watchers++
    try {
      const feed = await project_watcher.feed
      await feed.resume(after, ({ position, batches }) => begin(position, batches))
    } catch (error) {
      if (is_new) this.#give(project_id, project_watcher)
      throw error
    }
  }

  leave(project_id: string): void {
    const project_watcher = this.#project_watchers.get(project_id)
    if (project_watcher) this.#give(project_id, project_watcher)
  }

  #projectWatcher(project_id: string): ProjectWatcher {
    const known = this.#project_watchers.get(project_id)
    if (known) return known
    const feed = this.#feeds.open(project_id, {
      received: (batch) => this.#listener.received(project_id, batch),
      missed: () => this.#listener.missed(project_id),
    })
    const project_watcher = { feed, watchers: 0 }
    this.#project_watchers.set(project_id, project_watcher)
    // The next caller tries again.
    feed.catch(() => {
      if (this.#project_watchers.get(project_id) === project_watcher) this.#project_watchers.delete(project_id)
    })
    return project_watcher
  }

  #give(project_id: string, project_watcher: ProjectWatcher): void {
    if (--project_watcher.watchers > 0) return
    const close = (feed: LiveFeed) => {
      // A watcher may have come while it was opened; a feed is closed before it is opened again.
      if (project_watcher.watchers > 0 || this.#project_watchers.get(project_id) !== project_watcher) return
      this.#project_watchers.delete(project_id)
      feed.close()
    }
    project_watcher.feed.then(close, () => {})
  }
}
