/** Selects the adapter of a channel. */
import type { OutboundGuard } from '../outbound/mod.ts'
import { Email, type OpenFile } from './email/mod.ts'
import { Evolution } from './evolution/mod.ts'
import { Instagram } from './instagram/mod.ts'
import { Messenger } from './messenger/mod.ts'
import type { Provider } from './provider.ts'
import { Telegram } from './telegram/mod.ts'
import { TikTok } from './tiktok/mod.ts'
import { type VisitorNote, Web } from './web/mod.ts'
import { WhatsApp } from './whatsapp/mod.ts'

export type ProviderOptions = {
  /** Maximum milliseconds of a send. */
  send_ms?: number | undefined
  /** For adapters that fetch the links of a message. */
  guard?: OutboundGuard | undefined
  /** Opens an uploaded file, for adapters that send the bytes themselves. Without it no e-mail is sent. */
  open_file?: OpenFile | undefined
  /** Certificate authorities in addition to the system's, PEM. */
  certificates?: readonly string[] | undefined
  /** True while nothing may go out of the cluster. Default never. */
  isQuiet?: (() => boolean) | undefined
  /** Publishes a note for a visitor of the web chat to all nodes. Without it nothing is sent there. */
  tell_visitor?: ((note: VisitorNote) => void | Promise<void>) | undefined
}

/** All adapters, each with its connections. */
export class Providers {
  readonly #adapters: Record<string, Provider>
  readonly #isQuiet: () => boolean

  constructor({ send_ms, guard, open_file, certificates, isQuiet, tell_visitor }: ProviderOptions = {}) {
    this.#isQuiet = isQuiet ?? (() => false)
    const whatsapp = new WhatsApp({ deadline_ms: send_ms, guard })
    const evolution = new Evolution({ deadline_ms: send_ms })
    const telegram = new Telegram({ deadline_ms: send_ms })
    const instagram = new Instagram({ deadline_ms: send_ms, guard })
    const messenger = new Messenger({ deadline_ms: send_ms, guard })
    const facebook = new Messenger({ deadline_ms: send_ms, guard, carrier: 'facebook' })
    const tiktok = new TikTok({ deadline_ms: send_ms, guard })
    const times = { deadline_ms: send_ms, answer_ms: send_ms }
    const email = guard && open_file && new Email({ ...times, guard, open: open_file, certificates })
    const web = tell_visitor && new Web({ tell: tell_visitor })
    this.#adapters = {
      'whatsapp cloud': whatsapp,
      'whatsapp simulator': whatsapp,
      'whatsapp qr': evolution,
      'telegram cloud': telegram,
      'telegram simulator': telegram,
      'instagram cloud': instagram,
      'instagram simulator': instagram,
      'messenger cloud': messenger,
      'messenger simulator': messenger,
      'facebook cloud': facebook,
      'facebook simulator': facebook,
      'tiktok cloud': tiktok,
      'tiktok simulator': tiktok,
      ...(email && { 'email cloud': email, 'email simulator': email }),
      ...(web && { 'web cloud': web, 'web simulator': web }),
    }
  }

  /** True while no account may be asked for anything. */
  get is_quiet(): boolean {
    return this.#isQuiet()
  }

  /** Undefined when nothing can be sent on such a channel. */
  of({ channel_type, provider }: { channel_type: string; provider: string }): Provider | undefined {
    return this.#adapters[`${channel_type} ${provider}`]
  }

  async close(): Promise<void> {
    await Promise.all([...new Set(Object.values(this.#adapters))].map((adapter) => adapter.close()))
  }
}
