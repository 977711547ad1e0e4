/** Messages of Facebook pages. */
import type { Platform } from '../pages/platform.ts'
import { PageProvider, type PageProviderOptions } from '../pages/provider.ts'

const PLATFORM: Platform = {
  product: 'messenger',
  title: 'Messenger',
  object: 'page',
  base_url: 'https://graph.facebook.com',
  account_fields: 'id,name',
  text_limit: { most: 2_000, unit: 'characters' },
  takes_metadata: true,
  per_second: 300,
}

export class Messenger extends PageProvider {
  constructor(options: PageProviderOptions = {}) {
    super(PLATFORM, options)
  }
}
