export { type ChannelType, channelTypes } from '../storage/mod.ts'

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
