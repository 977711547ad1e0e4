/**
 * Wakes polls that wait for a delivery: a commit publishes that a subscription has another one, wherever it happens.
 * A subscription for which nobody waits costs its project a look into a map.
 */
import { pollChannel } from '../../../actors/mod.ts'
import type { LiveFeed, LiveFeeds } from '../../../runtime/mod.ts'

/** Time for which a channel stays open without listeners: a poll is followed by the next one. */
const LINGER_MS = 30_000

type Channel = { feed: Promise<LiveFeed>; listeners: Set<Listener>; closing: NodeJS.Timeout | undefined }

export class DeliveryNews {
  readonly #feeds: LiveFeeds
  readonly #channels = new Map<string, Channel>()

  constructor(feeds: LiveFeeds) {
    this.#feeds = feeds
  }

  /** Resolves once later deliveries of the subscription are heard. Rejects while the broker is away. */
  async listen(webhook_id: string): Promise<Listener> {
    const name = pollChannel(webhook_id)
    const channel = this.#channels.get(name) ?? this.#open(name)
    clearTimeout(channel.closing)
    const listener = new Listener(() => this.#leave(name, channel, listener))
    channel.listeners.add(listener)
    try {
      await channel.feed
    } catch (error) {
      channel.listeners.delete(listener)
      throw error
    }
    return listener
  }

  close(): void {
    for (const { closing, listeners } of this.#channels.values()) {
      clearTimeout(closing)
      for (const listener of listeners) listener.end()
    }
  }

  #open(name: string): Channel {
    const listeners = new Set<Listener>()
    const wake = () => {
      for (const listener of listeners) listener.wake()
    }
    const channel: Channel = {
      feed: this.#feeds.open(name, { received: wake, missed: wake }),
      listeners,
      closing: undefined,
    }
    this.#channels.set(name, channel)
    channel.feed.catch(() => this.#forget(name, channel))
    return channel
  }

  #leave(name: string, channel: Channel, listener: Listener): void {
    if (!channel.listeners.delete(listener) || channel.listeners.size > 0) return
    channel.closing = setTimeout(() => {
      void channel.feed.then((feed) => {
        // Another poll may have come meanwhile. The channel is forgotten and closed at once: it cannot be open twice.
        if (channel.listeners.size > 0) return
        this.#forget(name, channel)
        feed.close()
      })
    }, LINGER_MS)
    channel.closing.unref()
  }

  #forget(name: string, channel: Channel): void {
    if (this.#channels.get(name) === channel) this.#channels.delete(name)
  }
}

/** One waiting poll. */
export class Listener {
  readonly #left: () => void
  #has_news = false
  #ended = false
  #wake: ((has_news: boolean) => void) | undefined

  constructor(left: () => void) {
    this.#left = left
  }

  /** Resolves to true with news since the last call, to false after `ms` or when it is ended. */
  async next(ms: number): Promise<boolean> {
    if (this.#has_news || this.#ended || ms <= 0) {
      const has_news = this.#has_news && !this.#ended
      this.#has_news = false
      return has_news
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#wake = resolve
    const timer = setTimeout(resolve, ms, false)
    const has_news = await promise
    clearTimeout(timer)
    this.#wake = undefined
    this.#has_news = false
    return has_news
  }

  wake(): void {
    this.#has_news = true
    this.#wake?.(true)
  }

  /** Ends the wait at once. */
  end(): void {
    this.#ended = true
    this.#wake?.(false)
  }

  /** To be called once, when the poll is answered. */
  leave(): void {
    this.#left()
  }
}
