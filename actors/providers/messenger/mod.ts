/** Messages of Facebook pages. */
import type { Platform, TextLimit } from '../pages/platform.ts'
import { PageProvider, type PageProviderOptions } from '../pages/provider.ts'

export const MESSENGER_TEXT: TextLimit = { most: 2_000, unit: 'characters' }

const PLATFORM: Omit<Platform, 'carrier'> = {
  product: 'messenger',
  title: 'Messenger',
  object: 'page',
  base_url: 'https://graph.facebook.com',
  account_fields: 'id,name',
  text_limit: MESSENGER_TEXT,
  takes_metadata: true,
  per_second: 300,
}

export class Messenger extends PageProvider {
  /** `carrier`: `facebook` is the older name of such a channel. */
  constructor({
    carrier = 'messenger',
    ...options
  }: PageProviderOptions & { carrier?: 'messenger' | 'facebook' } = {}) {
    super({ ...PLATFORM, carrier }, options)
  }
}
