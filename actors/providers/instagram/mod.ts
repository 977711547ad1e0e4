/** Messages of professional accounts on Instagram (the API with Instagram Login). */
import type { Platform, TextLimit } from '../pages/platform.ts'
import { PageProvider, type PageProviderOptions } from '../pages/provider.ts'

export const INSTAGRAM_TEXT: TextLimit = { most: 1_000, unit: 'bytes' }

const PLATFORM: Platform = {
  product: 'instagram',
  carrier: 'instagram',
  title: 'Instagram',
  object: 'instagram',
  base_url: 'https://graph.instagram.com',
  account_fields: 'id,user_id,username,name',
  text_limit: INSTAGRAM_TEXT,
  takes_metadata: false,
  per_second: 100,
}

export class Instagram extends PageProvider {
  constructor(options: PageProviderOptions = {}) {
    super(PLATFORM, options)
  }
}
