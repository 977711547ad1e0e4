/** The provider that keeps the files of a channel, if it has one. */
import { OutboundGuard } from '../outbound/mod.ts'
import type { ProviderMedia } from './provider_media.ts'
import { WhatsAppMedia } from './whatsapp/media.ts'

/** A simulator of it is one, too. */
const CLOUD = ['cloud', 'simulator']

/** All providers that keep files, each with its connections. */
export class MediaProviders {
  readonly #whatsapp: ProviderMedia

  constructor(guard: OutboundGuard = new OutboundGuard()) {
    this.#whatsapp = new WhatsAppMedia(guard)
  }

  /** Undefined when the files of such a channel are kept by us. */
  of({ channel_type, provider }: { channel_type: string; provider: string }): ProviderMedia | undefined {
    return channel_type === 'whatsapp' && CLOUD.includes(provider) ? this.#whatsapp : undefined
  }

  close(): Promise<void> {
    return this.#whatsapp.close()
  }
}
