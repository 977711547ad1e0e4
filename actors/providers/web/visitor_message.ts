/** A message as the visitor's page gets it: live from the adapter, or from storage. */
import type { Json } from '../json.ts'
import { isObject } from '../json.ts'
import type { Payload } from '../payload.ts'

type VisitorSource = { title: string; url: string }

/** Sources of a message that a page shows. */
const MAX_SOURCES = 10
const MAX_TITLE_LENGTH = 300
const MAX_URL_LENGTH = 2048

export type VisitorMessage = {
  /** Our id, by which stored messages are ordered. Missing where a message could not be found yet. */
  id?: string
  /** The provider's id: the same for a message on every way, so that a page shows it once. */
  ref: string
  direction: 'inbound' | 'outbound'
  /** ISO 8601. */
  at: string
  /** The `ref` of the quoted message. */
  context: string | null
  /** Stored status of a message of ours. Live messages are `sent`. */
  status?: string
  /** `{ type, … }` in the terms of the API, with a `link` for each file. */
  message: Json
  /** Pages from which the answer comes. */
  sources?: VisitorSource[]
}

/** A message for one visitor, on whichever node the sockets are. */
export type VisitorNote = { channel_id: string; user_id: string; message: VisitorMessage }

/** `meta_data.sources` of a message as its page gets them. Clients write these too, so other forms are left out. */
export function sourcesIn(meta_data: Json | null | undefined): { sources?: VisitorSource[] } {
  const all = Array.isArray(meta_data?.sources) ? meta_data.sources.slice(0, MAX_SOURCES) : []
  const sources = all.flatMap((one: unknown) => {
    const { title, url } = isObject(one) ? one : {}
    if (typeof title !== 'string' || typeof url !== 'string' || url.length > MAX_URL_LENGTH) return []
    return /^https?:\/\/[^/]/i.test(url) ? [{ title: title.slice(0, MAX_TITLE_LENGTH).toWellFormed(), url }] : []
  })
  return sources.length > 0 ? { sources } : {}
}

/** The provider's id of a message of ours. */
export function refOf(message_id: string): string {
  return `web-${message_id}`
}

/** The ids of uploads that a message names. */
export function uploadsIn(message: Json): string[] {
  return fileNodes(message).flatMap(({ media_id }) => (typeof media_id === 'string' ? [media_id] : []))
}

type Upload = { link: string; filename: string | null }

/** Replaces each upload by its link; an upload that no longer exists gets none. */
export function withLinks(message: Payload | Json, uploadOf: (media_id: string) => Upload | undefined): Json {
  const linked = structuredClone(message) as Json
  for (const node of fileNodes(linked)) {
    if (typeof node.media_id !== 'string') continue
    const upload = uploadOf(node.media_id)
    delete node.media_id
    if (upload) Object.assign(node, { link: upload.link, filename: node.filename ?? upload.filename ?? undefined })
  }
  return linked
}

function fileNodes(message: Json): Json[] {
  const cards = Array.isArray(message.cards) ? message.cards.filter(isObject) : []
  return [message, message.header, ...cards.map(({ header }) => header)].filter(isObject)
}
