/**
 * The limits that a page must know to write messages for a channel, beside the types in `capabilities.ts`. The provider's
 * own checks decide; the page repeats them so that agents learn of a limit while they write.
 */
import type { ChannelType, MessageType } from '../message_types.ts'
import { type Carrier, capabilities, carrierOf } from './capabilities.ts'
import { INSTAGRAM_TEXT } from './instagram/mod.ts'
import { MESSENGER_TEXT } from './messenger/mod.ts'
import type { TextLimit } from './pages/platform.ts'
import type { Accepted } from './provider_media.ts'
import { CLOUD_FILES } from './whatsapp/media.ts'

export type Composing = {
  /** How each type arrives there; a type that is not here cannot be sent. */
  message_types: Partial<Record<MessageType, string>>
  text_limit: TextLimit
  has_captions: boolean
  /** Null: files of any kind. */
  file_types: Accepted[] | null
  /** Bytes. */
  most_file_bytes: number
}

const MIB = 1024 * 1024
/** `body` of every text message. */
const TEXT: TextLimit = { most: 4096, unit: 'characters' }
const TEXTS: Partial<Record<Carrier, TextLimit>> = {
  instagram: INSTAGRAM_TEXT,
  messenger: MESSENGER_TEXT,
  facebook: MESSENGER_TEXT,
}
/** Limits of uploads. */
const MAX_BYTES = 100 * MIB
const FILES: Partial<Record<Carrier, number>> = {
  email: 25 * MIB,
  telegram: 20_000_000,
  tiktok: 20_000_000,
  instagram: 25_000_000,
  messenger: 25_000_000,
  facebook: 25_000_000,
}

export function composingFor(channel: { channel_type: ChannelType; provider: string }): Composing {
  const carrier = carrierOf(channel)
  return {
    message_types: capabilities[carrier],
    text_limit: TEXTS[carrier] ?? TEXT,
    has_captions: carrier !== 'tiktok',
    file_types: carrier === 'whatsapp' ? CLOUD_FILES : null,
    most_file_bytes: FILES[carrier] ?? MAX_BYTES,
  }
}
