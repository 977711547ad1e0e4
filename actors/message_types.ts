/** The channel types a contact or a channel can have. */
export const channelTypes = [
  'web',
  'whatsapp',
  'facebook',
  'messenger',
  'instagram',
  'tiktok',
  'telegram',
  'email',
  'phone',
] as const

export type ChannelType = (typeof channelTypes)[number]

/** The values of `message.type`. */
export const messageTypes = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'reaction',
  'template',
  'buttons',
  'list',
  'cta_url',
  'catalog',
  'carousel',
  'flow',
] as const

export type MessageType = (typeof messageTypes)[number]

const carried: Record<ChannelType, readonly MessageType[]> = {
  web: ['text'],
  whatsapp: ['text', 'template'],
  facebook: ['text'],
  messenger: ['text'],
  instagram: ['text'],
  tiktok: ['text'],
  telegram: ['text'],
  email: ['text'],
  phone: [],
}

/** The message types that can be sent on a channel of this type. A provider may carry fewer (paired by QR: no templates). */
export function messageTypesOf(channel: ChannelType): readonly MessageType[] {
  return carried[channel]
}
