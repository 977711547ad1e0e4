/** The provider that stores the files of a channel, if there is one. */
import { OutboundGuard } from '../outbound/mod.ts'
import type { ProviderMedia } from './provider_media.ts'
import { WhatsAppMedia } from './whatsapp/media.ts'

/** A simulator of the cloud counts as one, too. */
const CLOUD = ['cloud', 'simulator']

/** All providers that store files, each with its connections. */
export class MediaProviders {
  readonly #whatsapp: ProviderMedia

  constructor(guard: OutboundGuard = new OutboundGuard()) {
    this.#whatsapp = new WhatsAppMedia(guard)
  }

  /** Undefined when we store the files of such a channel. */
  of({ channel_type, provider }: { channel_type: string; provider: string }): ProviderMedia | undefined {
    return channel_type === 'whatsapp' && CLOUD.includes(provider) ? this.#whatsapp : undefined
  }

  close(): Promise<void> {
    return this.#whatsapp.close()
  }
}
