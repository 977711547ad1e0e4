/** The web channels that visitors ask for, remembered for seconds: a page that is reloaded asks again and again. */
import { Channel, type Database, isObjectId } from '../../storage/mod.ts'
import type { Readers } from '../readers.ts'

export type WebChannel = {
  _id: string
  company_id: string
  project_id: string
  name: string
  visitor_secret: string
  /** Undefined: any. */
  allowed_origins: string[] | undefined
}

/** How long a change of the channel takes to be seen. */
const BELIEVED_MS = 5_000
const MOST_KNOWN = 10_000

export class WebChannels {
  readonly #database: Database
  readonly #readers: Readers
  readonly #known = new Map<string, { until: number; channel: Promise<WebChannel | undefined> }>()

  constructor(database: Database, readers: Readers) {
    this.#database = database
    this.#readers = readers
  }

  /** Undefined when there is no active web channel with this id. */
  find(id: string): Promise<WebChannel | undefined> {
    if (!isObjectId(id)) return Promise.resolve(undefined)
    const known = this.#known.get(id)
    if (known && known.until > performance.now()) return known.channel
    const channel = Promise.resolve(this.#readers.run(() => this.#read(id)))
    channel.catch(() => this.#known.delete(id))
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(id, { until: performance.now() + BELIEVED_MS, channel })
    return channel
  }

  forget(id: string): void {
    this.#known.delete(id)
  }

  async #read(id: string): Promise<WebChannel | undefined> {
    const row = await this.#database
      .em()
      .findOne(Channel, { _id: id, channel_type: 'web' }, { disableIdentityMap: true })
    if (!row?.is_active || !row.credentials) return undefined
    const credentials = JSON.parse(this.#database.vault.open(row._id, 'credentials', row.credentials))
    const { visitor_secret = '', allowed_origins } = credentials as Record<string, string>
    const { _id, company_id, project_id, name } = row
    const origins = allowed_origins?.split(',').map((origin) => origin.trim().toLowerCase())
    return visitor_secret === ''
      ? undefined
      : { _id, company_id, project_id, name, visitor_secret, allowed_origins: origins }
  }
}

/**
 * Whether a page of this origin may have the chat. The widget's own page, which is served from this very host, always may.
 * Only browsers are held by it: whoever writes the header himself is bounded by the limits of a socket.
 */
export function isOriginAllowed({ allowed_origins }: WebChannel, origin: string | undefined, host: string): boolean {
  if (allowed_origins === undefined) return true
  if (origin === undefined) return false
  const here = URL.parse(origin)
  if (!here || here.origin === 'null') return false
  if (here.host === host) return true
  return allowed_origins.some((allowed) => {
    const [scheme = '', rest = ''] = allowed.split('://')
    if (!rest.startsWith('*.')) return here.origin === URL.parse(allowed)?.origin
    return here.protocol === `${scheme}:` && here.host.endsWith(rest.slice(1))
  })
}
