/** Broadcasts and their recipients, as the server answers and tells them. Times are ISO 8601. */
import type {
  Broadcast,
  BroadcastRecipient,
  ListBroadcastRecipientsQuery,
  ListBroadcastsPage,
  ListBroadcastsQuery,
} from '../../../client/generated/types.ts'

export type { Broadcast } from '../../../client/generated/types.ts'

export type BroadcastStatus = Broadcast['status']

export type RecipientStatus = BroadcastRecipient['status']

/** Both parts of its error are texts. */
export type Recipient = Omit<BroadcastRecipient, 'error'> & { error: { code: string; message: string } | null }

/** `next_cursor` is null on the last page. */
export type Page<Item> = Omit<ListBroadcastsPage, 'data'> & { data: Item[] }

export type PageQuery = { limit: number; cursor?: string | null | undefined }

export type RecipientQuery = PageQuery & Pick<ListBroadcastRecipientsQuery, 'status'>

/** `search` is a part of the campaign's or the template's name. */
export type BroadcastFilter = Pick<ListBroadcastsQuery, 'status' | 'search'>
