import type { Carrier } from '../capabilities.ts'

/** What is stored, encrypted, with a channel of Instagram or Messenger. */
export type PageCredentials = {
  /** Of the page, or of the professional account on Instagram: what webhook calls name as `entry[].id`. */
  account_id: string
  access_token: string
  /** Key of the signature over webhook calls. */
  app_secret: string
  /** The word that proves, when Meta tries our webhook, that it was set up by who set up this channel. */
  verify_token: string
  /** Stands in for Meta's address: a simulator, a proxy. May end in a version. */
  api_base_url?: string
}

/** In what the two users of Meta's platform for pages differ. */
export type Platform = {
  /** The column of the matrix of capabilities, and `messaging_product` of events. */
  product: Carrier & ('instagram' | 'messenger')
  /** Its name for people. */
  title: string
  /** What webhook calls say they are about. */
  object: 'instagram' | 'page'
  base_url: string
  /** What is asked of the account when it is probed. */
  account_fields: string
  /** The longest text, in characters or in bytes of UTF-8. */
  text_limit: { most: number; unit: 'characters' | 'bytes' }
  /** Messages carry a word of ours that comes back in echoes. */
  takes_metadata: boolean
  /** Messages a second of one account. */
  per_second: number
}
