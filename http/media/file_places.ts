/**
 * The places to which a node writes files: its data directory, where uploads arrive, and the store that keeps them. A node
 * with a full disk or a read-only file system works on, since messages need neither; this makes it visible.
 */
import type { Log } from '../../runtime/mod.ts'
import { type BlobStore, checkWritable } from '../../storage/mod.ts'

const CHECK_MS = 60_000

type Place = { name: string; check(): Promise<void>; trouble: string | undefined }

export class FilePlaces {
  readonly #places: Place[]
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined

  constructor({ data_dir, blobs, log }: { data_dir: string; blobs: BlobStore; log: Log }) {
    this.#log = log
    this.#places = [
      { name: 'data directory', check: () => checkWritable(data_dir), trouble: undefined },
      { name: 'store of uploaded files', check: () => blobs.check(), trouble: undefined },
    ]
  }

  /** Checks now, and then every minute. A start does not wait for a store that does not answer. */
  start(): void {
    this.#timer = setInterval(() => void this.check(), CHECK_MS)
    this.#timer.unref()
    void this.check()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Never rejects. Callers at the same moment share a check. */
  check(): Promise<void> {
    this.#checking ??= Promise.all(this.#places.map((place) => this.#look(place))).then(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /** Sentences while something cannot be written. They name no path, because `/ready` is public. */
  get warnings(): string[] {
    return this.#places.flatMap(({ name, trouble }) =>
      trouble === undefined
        ? []
        : [`The ${name} of this node cannot be written (${trouble}), so that uploaded files are refused: see its log.`],
    )
  }

  async #look(place: Place): Promise<void> {
    const { name, trouble: before } = place
    try {
      await place.check()
      place.trouble = undefined
      if (before !== undefined) this.#log.info({}, `the ${name} can be written again`)
    } catch (error) {
      place.trouble = shortReason(error)
      if (place.trouble !== before) this.#log.error({ error }, `the ${name} cannot be written`)
    }
  }
}

/** The system's code, or the name of a store's error, without paths and addresses. */
function shortReason(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : name
}
