/**
 * The matrix of message types and channels. Validation, the 422 `MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL`, the API
 * description and docs/messaging.md all use this table. A column is a way of connecting a channel; a cell describes how
 * the type arrives there, and a type without a cell cannot be sent.
 */
import type { ChannelType, MessageType } from '../message_types.ts'

/** The ways of connecting a channel that carry different message types. */
export type Carrier = ChannelType | 'whatsapp_qr'

const MEDIA = { image: 'yes', video: 'yes', audio: 'yes' } as const
const PAGE = {
  text: 'yes',
  ...MEDIA,
  reaction: 'yes',
  buttons: 'as quick replies',
  list: 'as quick replies',
  cta_url: 'as a button template',
  carousel: 'as a generic template',
} as const
const MESSENGER = { ...PAGE, document: 'as a file', sticker: 'as an image' } as const

export const capabilities: Record<Carrier, Partial<Record<MessageType, string>>> = {
  whatsapp: {
    text: 'yes',
    ...MEDIA,
    document: 'yes',
    sticker: 'yes',
    location: 'yes',
    contacts: 'yes',
    reaction: 'yes',
    template: 'yes',
    buttons: 'yes',
    list: 'yes',
    cta_url: 'yes',
    catalog: 'yes',
    carousel: 'yes',
    flow: 'yes',
  },
  whatsapp_qr: {
    text: 'yes',
    ...MEDIA,
    document: 'yes',
    sticker: 'yes',
    location: 'yes',
    contacts: 'yes',
    reaction: 'yes',
  },
  instagram: PAGE,
  messenger: MESSENGER,
  facebook: MESSENGER,
  telegram: {
    text: 'yes',
    ...MEDIA,
    document: 'yes',
    sticker: 'yes',
    reaction: 'yes',
    buttons: 'as an inline keyboard',
    list: 'as keyboard rows',
    cta_url: 'as a URL button',
    carousel: 'as photos and a keyboard',
  },
  web: {
    text: 'yes',
    ...MEDIA,
    document: 'yes',
    sticker: 'as an image',
    reaction: 'yes',
    buttons: 'yes',
    list: 'yes',
    cta_url: 'yes',
    carousel: 'yes',
  },
  email: {
    text: 'yes',
    image: 'as an attachment',
    video: 'as an attachment',
    audio: 'as an attachment',
    document: 'as an attachment',
    cta_url: 'as a link',
  },
  tiktok: { text: 'yes', image: 'yes' },
  phone: {},
}

export function carrierOf({ channel_type, provider }: { channel_type: ChannelType; provider: string }): Carrier {
  return channel_type === 'whatsapp' && provider === 'qr' ? 'whatsapp_qr' : channel_type
}

/** The message types that can be sent there. */
export function messageTypesOf(carrier: Carrier): MessageType[] {
  return Object.keys(capabilities[carrier]) as MessageType[]
}
