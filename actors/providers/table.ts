/** Which adapter serves a channel. */
import type { Provider } from './provider.ts'
import { WhatsApp } from './whatsapp/mod.ts'

export type ProviderOptions = {
  /** Milliseconds a send may take in all. */
  send_ms?: number | undefined
}

/** All adapters, each with its connections. */
export class Providers {
  readonly #adapters: Record<string, Provider>

  constructor({ send_ms }: ProviderOptions = {}) {
    const whatsapp = new WhatsApp({ deadline_ms: send_ms })
    this.#adapters = { 'whatsapp cloud': whatsapp, 'whatsapp simulator': whatsapp }
  }

  /** Undefined when nothing can be sent on such a channel. */
  of({ channel_type, provider }: { channel_type: string; provider: string }): Provider | undefined {
    return this.#adapters[`${channel_type} ${provider}`]
  }

  async close(): Promise<void> {
    await Promise.all([...new Set(Object.values(this.#adapters))].map((adapter) => adapter.close()))
  }
}
