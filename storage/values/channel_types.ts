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
