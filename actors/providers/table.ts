/** Which adapter serves a channel. */
import type { OutboundGuard } from '../outbound/mod.ts'
import { Evolution } from './evolution/mod.ts'
import { Instagram } from './instagram/mod.ts'
import { Messenger } from './messenger/mod.ts'
import type { Provider } from './provider.ts'
import { Telegram } from './telegram/mod.ts'
import { TikTok } from './tiktok/mod.ts'
import { WhatsApp } from './whatsapp/mod.ts'

export type ProviderOptions = {
  /** Milliseconds a send may take in all. */
  send_ms?: number | undefined
  /** For adapters that fetch what a message links to. */
  guard?: OutboundGuard | undefined
}

/** All adapters, each with its connections. */
export class Providers {
  readonly #adapters: Record<string, Provider>

  constructor({ send_ms, guard }: ProviderOptions = {}) {
    const whatsapp = new WhatsApp({ deadline_ms: send_ms })
    const evolution = new Evolution({ deadline_ms: send_ms })
    const telegram = new Telegram({ deadline_ms: send_ms })
    const instagram = new Instagram({ deadline_ms: send_ms })
    const messenger = new Messenger({ deadline_ms: send_ms })
    const tiktok = new TikTok({ deadline_ms: send_ms, guard })
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
      'facebook cloud': messenger,
      'facebook simulator': messenger,
      'tiktok cloud': tiktok,
      'tiktok simulator': tiktok,
    }
  }

  /** Undefined when nothing can be sent on such a channel. */
  of({ channel_type, provider }: { channel_type: string; provider: string }): Provider | undefined {
    return this.#adapters[`${channel_type} ${provider}`]
  }

  async close(): Promise<void> {
    await Promise.all([...new Set(Object.values(this.#adapters))].map((adapter) => adapter.close()))
  }
}
