/**
 * The places for uploads of strangers under way in this process, each of which holds a few MiB. A company has a share of
 * them, because its chats and its mailbox are open to everybody. When there is no place, the largest holder loses a slow upload to a
 * smaller one: else two addresses that send as slowly as they may would keep all others out.
 */
import { performance } from 'node:perf_hooks'
import { Shares } from '../server/limits/fair_shares.ts'

/** `AddressLimits` bounds the places of one address. */
const BOUNDS = { all: 32, kinds: { company: 16, address: 32 } }
/** Milliseconds after which an upload counts as slow. */
const LONG_MS = 2000

export type Uploader = { company: string; address: string }
type Upload = { holder: Uploader; started: number; end: () => void }

export class UploadPlaces {
  readonly #shares = new Shares<keyof Uploader>(BOUNDS)
  /** In the order in which they began. */
  readonly #uploads = new Set<Upload>()

  /**
   * Takes a place. Returns the function that gives it back, which may be called twice, or undefined when there is none.
   * `end` is called when the upload has to make room; its place is free then.
   */
  enter(holder: Uploader, end: () => void): (() => void) | undefined {
    if (!this.#shares.take(holder, 1)) {
      const slow = this.#slowOfLargest(holder)
      if (slow === undefined) return undefined
      this.#leave(slow)
      slow.end()
      if (!this.#shares.take(holder, 1)) return undefined
    }
    const upload = { holder, started: performance.now(), end }
    this.#uploads.add(upload)
    return () => this.#leave(upload)
  }

  /** The oldest slow upload of the address with the most places; of the company, where no address has more than another. */
  #slowOfLargest(newcomer: Uploader): Upload | undefined {
    const rivals = this.#shares.isCrowded(1)
      ? [...this.#uploads]
      : [...this.#uploads].filter(({ holder }) => holder.company === newcomer.company)
    return this.#largest(rivals, 'address', newcomer) ?? this.#largest(rivals, 'company', newcomer)
  }

  #largest(rivals: Upload[], kind: keyof Uploader, newcomer: Uploader): Upload | undefined {
    const since = performance.now() - LONG_MS
    // Equals do not push each other out.
    let most = this.#shares.heldBy(kind, newcomer) + 1
    let chosen: Upload | undefined
    for (const upload of rivals) {
      const held = this.#shares.heldBy(kind, upload.holder)
      if (upload.started > since || held <= most) continue
      most = held
      chosen = upload
    }
    return chosen
  }

  #leave(upload: Upload): void {
    if (this.#uploads.delete(upload)) this.#shares.give(upload.holder, 1)
  }
}
