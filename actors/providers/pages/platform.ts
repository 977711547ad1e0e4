import type { Carrier } from '../capabilities.ts'

/** The encrypted credentials of a channel of Instagram or Messenger. */
export type PageCredentials = {
  /** Id of the page, or of the professional account on Instagram: `entry[].id` of webhook calls. */
  account_id: string
  access_token: string
  /** Key for the signature of webhook calls. */
  app_secret: string
  /** Verify token with which Meta proves, when it verifies our webhook, that the channel's owner configured it. */
  verify_token: string
  /** Replaces Meta's address: a simulator, a proxy. May end in a version. */
  api_base_url?: string
}

/** The longest text, in characters or in bytes of UTF-8. */
export type TextLimit = { most: number; unit: 'characters' | 'bytes' }

/** The differences between the two products on Meta's platform for pages. */
export type Platform = {
  /** `messaging_product` of events. */
  product: 'instagram' | 'messenger'
  /** The column of the matrix of capabilities, which errors name. */
  carrier: Carrier
  /** Name for people. */
  title: string
  /** `object` of webhook calls. */
  object: 'instagram' | 'page'
  base_url: string
  /** Fields requested when the account is probed. */
  account_fields: string
  text_limit: TextLimit
  /** Messages carry metadata of ours that come back in echoes. */
  takes_metadata: boolean
  /** Messages a second of one account. */
  per_second: number
}
