/** Caches the web channels of visitors for seconds, because each page load asks for them. */

import { isListed, originsIn, parseUrl } from '../../actors/mod.ts'
import { Channel, credentialsOf, type Database, isObjectId, readRows } from '../../storage/mod.ts'
import type { ReadLimiter } from '../server/limits/read_limiter.ts'

export type WebChannel = {
  _id: string
  company_id: string
  project_id: string
  name: string
  visitor_secret: string
  /** Enabled, with credentials that identify visitors. */
  is_open: boolean
  /** Each may sign who a visitor is. Empty: no visitor is known. */
  identity_secrets: string[]
  /** Undefined: any. */
  allowed_origins: string[] | undefined
}

/** Maximum delay until a change of the channel is seen. */
const BELIEVED_MS = 5_000
const MAX_KNOWN = 10_000

export class WebChannels {
  readonly #database: Database
  readonly #read_limiter: ReadLimiter
  readonly #known = new Map<string, { until: number; channel: Promise<WebChannel | undefined> }>()

  constructor(database: Database, read_limiter: ReadLimiter) {
    this.#database = database
    this.#read_limiter = read_limiter
  }

  /** Undefined when there is no web channel with this id. */
  find(id: string): Promise<WebChannel | undefined> {
    if (!isObjectId(id)) return Promise.resolve(undefined)
    const known = this.#known.get(id)
    if (known && known.until > performance.now()) return known.channel
    const channel = this.#read([id]).then((channels) => channels.get(id))
    channel.catch(() => this.#known.delete(id))
    this.#keep(id, channel)
    return channel
  }

  forget(id: string): void {
    this.#known.delete(id)
  }

  /** Reads the current state of the ids that are web channels. */
  async readAnew(ids: string[]): Promise<Map<string, WebChannel>> {
    const channels = await this.#read(ids)
    for (const id of ids) this.#keep(id, Promise.resolve(channels.get(id)))
    return channels
  }

  #keep(id: string, channel: Promise<WebChannel | undefined>): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(id, { until: performance.now() + BELIEVED_MS, channel })
  }

  async #read(ids: string[]): Promise<Map<string, WebChannel>> {
    const rows = await this.#read_limiter.run(() =>
      readRows(this.#database, Channel, { _id: ids, channel_type: 'web' }),
    )
    return new Map(rows.map((row) => [row._id, this.#channelOf(row)]))
  }

  #channelOf(channel: Channel): WebChannel {
    const { _id, company_id, project_id, name, is_active } = channel
    const credentials = credentialsOf(this.#database, channel)
    const { visitor_secret = '', identity_secret, previous_identity_secret } = credentials
    const identity_secrets = [identity_secret, previous_identity_secret].filter((one) => one !== undefined)
    const allowed_origins = originsIn(credentials)
    const is_open = is_active && visitor_secret !== ''
    return { _id, company_id, project_id, name, visitor_secret, identity_secrets, is_open, allowed_origins }
  }
}

/**
 * True when a page of this origin may have the chat. The widget's own page, which is served from this host, always may.
 * Only browsers respect origins: clients that write the header themselves are limited by the limits of a socket.
 */
export function isOriginAllowed({ allowed_origins }: WebChannel, origin: string | undefined, host: string): boolean {
  if (allowed_origins === undefined) return true
  if (origin === undefined) return false
  const here = parseUrl(origin)
  if (!here || here.origin === 'null') return false
  if (here.host === host) return true
  return isListed(allowed_origins, here)
}
