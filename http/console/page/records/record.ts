/** The records that the console keeps, each kind as the API answers it. */

export type RecordKind = 'ticket' | 'message' | 'note' | 'event' | 'contact' | 'customer' | 'user'

/** A record of any kind: messages have an `id`, all others an `_id`. */
// biome-ignore lint/suspicious/noExplicitAny: the fields depend on the kind
export type AnyRecord = any
