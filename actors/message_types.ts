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
