/** The surroundings of the content of a message of WhatsApp's web protocol: an answered message, an ad, an album. */
import { isObject, type Json, textOf } from '../json.ts'

/** Forwards from which on WhatsApp speaks of a message that was forwarded many times. */
const MANY_FORWARDS = 5
/** Characters of the answered text that an answer repeats. */
const MAX_QUOTE_LENGTH = 1024
/** Envelopes around an answered message. */
const MAX_QUOTE_DEPTH = 8

/** The provider's id of the answered message. */
export function contextOf(message: Json, part: unknown): string | null {
  return textOf(infoOf(part).stanzaId) ?? textOf(infoOf(message).stanzaId)
}

/** Fields beside the content, by the names of the cloud webhooks where they have them. */
export function aroundOf(message: Json, body: Json): Json {
  const infos = [message, ...Object.values(body)].map(infoOf)
  const info = Object.assign({}, ...infos) as Json
  const score = Number(info.forwardingScore ?? 0)
  const referral = referralOf(info)
  const quote = quoteOf(info)
  const media_group_id = albumOf(body)
  return {
    ...((info.isForwarded === true || score > 0) && { forwarded: true }),
    ...(score >= MANY_FORWARDS && { frequently_forwarded: true }),
    ...(referral && { referral }),
    ...(quote !== null && { quote: { text: quote } }),
    ...(media_group_id !== null && { media_group_id }),
  }
}

function infoOf(part: unknown): Json {
  return isObject(part) && isObject(part.contextInfo) ? part.contextInfo : {}
}

/** The ad or the page from which the person came. */
function referralOf({ externalAdReply: ad, ctwaPayload }: Json): Json | undefined {
  if (!isObject(ad)) return undefined
  const known = {
    source_type: ad.sourceType,
    source_id: ad.sourceId,
    source_url: ad.sourceUrl ?? ad.mediaUrl,
    headline: ad.title,
    body: ad.body,
    thumbnail_url: ad.thumbnailUrl,
    ctwa_clid: ad.ctwaClid ?? ctwaPayload,
    ref: ad.ref,
  }
  const entries = Object.entries(known).filter(([, value]) => typeof value === 'string' && value !== '')
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** The text of the answered message, which may be unknown here. */
function quoteOf({ quotedMessage }: Json, depth = 0): string | null {
  if (!isObject(quotedMessage) || depth > MAX_QUOTE_DEPTH) return null
  for (const [field, part] of Object.entries(quotedMessage)) {
    // An envelope, as around the message itself.
    if (isObject(part) && isObject(part.message)) return quoteOf({ quotedMessage: part.message }, depth + 1)
    const text = field === 'conversation' ? textOf(part) : isObject(part) ? wordsOf(part) : null
    if (text !== null) return text.slice(0, MAX_QUOTE_LENGTH).toWellFormed()
  }
  return null
}

function wordsOf({ text, caption, selectedDisplayText, title, name, displayName, fileName }: Json): string | null {
  const words = [text, caption, selectedDisplayText, title, name, displayName, fileName]
  return words.map(textOf).find((one) => one !== null) ?? null
}

/** Pictures that were sent together name the head of their album. */
function albumOf({ messageContextInfo: info }: Json): string | null {
  const association = isObject(info) && isObject(info.messageAssociation) ? info.messageAssociation : {}
  const { associationType: type, parentMessageKey: parent } = association
  const is_album = type === 1 || type === 'MEDIA_ALBUM'
  return is_album && isObject(parent) ? textOf(parent.id) : null
}
