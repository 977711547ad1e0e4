/** The contents that people send on each channel, kind by kind, as the control API of the simulator takes it. */

type Json = Record<string, unknown>

/** `about`: the provider's id of the message that is quoted, reacted to, edited or withdrawn. */
type Input = { from: string; text?: string | undefined; about: string }
type Say = (input: Input) => Json | string

export const kinds = [
  ...['text', 'quote', 'picture', 'voice-note', 'video', 'file', 'sticker', 'location', 'contact', 'reaction'],
  ...['edit', 'withdrawal', 'referral', 'order', 'poll', 'live-location', 'topic', 'reel', 'post'],
  ...['story-mention', 'story-reply'],
] as const

/** Kinds that are about another message. */
export const about_another = ['quote', 'reaction', 'edit', 'withdrawal']

const PLACE = { latitude: 19.4326, longitude: -99.1332 }
const THUMB = '👍'
const said =
  (usual: string): Say =>
  ({ text = usual }) =>
    text
const words = { text: said('Where is my order?'), quote: said('That one') }
const caption = ({ text }: Input) => (text === undefined ? {} : { caption: text })

const WHATSAPP: Record<string, Say> = {
  ...words,
  picture: (input) => ({ type: 'image', image: caption(input) }),
  'voice-note': () => ({ type: 'audio', audio: { voice: true } }),
  video: (input) => ({ type: 'video', video: caption(input) }),
  file: (input) => ({ type: 'document', document: { filename: 'order.pdf', ...caption(input) } }),
  sticker: () => ({ type: 'sticker', sticker: {} }),
  location: () => ({ type: 'location', location: { ...PLACE, name: 'Zócalo' } }),
  contact: () => ({
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'Bo' }, phones: [{ phone: '+34 611 000 000' }] }],
  }),
  reaction: ({ about, text = THUMB }) => ({ type: 'reaction', reaction: { message_id: about, emoji: text } }),
  edit: ({ about, text = 'Hello again' }) => ({
    type: 'edit',
    edit: { original_message_id: about, message: { type: 'text', text: { body: text } } },
  }),
  withdrawal: ({ about }) => ({ type: 'revoke', revoke: { original_message_id: about } }),
  referral: ({ text = 'Tell me more' }) => ({
    type: 'text',
    text: { body: text },
    referral: {
      source_type: 'ad',
      source_id: '120',
      source_url: 'https://fb.me/ad',
      headline: 'Spring',
      ctwa_clid: 'c',
    },
  }),
  order: ({ text = 'Fast, please' }) => ({
    type: 'order',
    order: {
      catalog_id: '1',
      text,
      product_items: [{ product_retailer_id: 'tea', quantity: 2, item_price: 4.5, currency: 'EUR' }],
    },
  }),
}

const INSTAGRAM: Record<string, Say> = {
  ...words,
  picture: WHATSAPP.picture!,
  'voice-note': () => ({ type: 'audio', audio: {} }),
  video: WHATSAPP.video!,
  sticker: WHATSAPP.sticker!,
  reaction: WHATSAPP.reaction!,
  edit: ({ about, text = 'Hello again' }) => ({ message_edit: { mid: about, text, num_edit: 1 } }),
  withdrawal: ({ about }) => ({ mid: about, is_deleted: true }),
  referral: () => ({ referral: { source: 'ADS', type: 'OPEN_THREAD', ad_id: '120', ref: 'spring' } }),
  reel: ({ text = 'Spring' }) => ({ type: 'ig_reel', ig_reel: { reel_video_id: '17906265141506851', title: text } }),
  post: ({ text = 'Spring' }) => ({ type: 'ig_post', ig_post: { ig_post_media_id: '17897654949593778', title: text } }),
  'story-mention': () => ({ type: 'story_mention', story_mention: {} }),
  'story-reply': ({ text = 'Love it' }) => ({ type: 'text', text: { body: text }, story: {} }),
}

const { latitude: lat, longitude: long } = PLACE
const { post: _, 'story-mention': __, 'story-reply': ___, ...OF_PAGES } = INSTAGRAM
const MESSENGER: Record<string, Say> = {
  ...OF_PAGES,
  reel: ({ text = 'Spring' }) => ({ type: 'reel', reel: { reel_video_id: '1029384756', title: text } }),
  file: WHATSAPP.file!,
  location: () => ({ attachments: [{ type: 'location', title: 'Zócalo', payload: { coordinates: { lat, long } } }] }),
}

const TELEGRAM: Record<string, Say> = {
  ...words,
  picture: (input) => ({ photo: {}, ...caption(input) }),
  'voice-note': () => ({ voice: {} }),
  video: (input) => ({ video: {}, ...caption(input) }),
  file: (input) => ({ document: { file_name: 'order.pdf' }, ...caption(input) }),
  sticker: () => ({ sticker: {} }),
  location: () => ({ location: PLACE }),
  contact: () => ({ contact: { phone_number: '+34611000000', first_name: 'Bo' } }),
  reaction: ({ about, text = THUMB }) => ({ reaction: { message_id: about, emoji: text } }),
  edit: ({ about, text = 'Hello again' }) => ({ edited: { message_id: about, text } }),
  withdrawal: ({ about }) => ({ deleted: { message_id: about } }),
  poll: ({ text = 'Which day?' }) => ({
    poll: { id: '1', question: text, options: ['Friday', 'Saturday'].map((day) => ({ text: day, voter_count: 0 })) },
  }),
  'live-location': () => ({ location: { ...PLACE, live_period: 900 } }),
  topic: ({ text = 'About the bill' }) => ({ text, message_thread_id: 7, is_topic_message: true }),
}

const digits = (from: string) => `${from.replace(/\D/g, '')}@s.whatsapp.net`
const keyOf = ({ from, about }: Input) => ({ remoteJid: digits(from), fromMe: false, id: about })
const degrees = { degreesLatitude: lat, degreesLongitude: long }

const PAIRED_PHONE: Record<string, Say> = {
  ...words,
  picture: (input) => ({ imageMessage: caption(input) }),
  'voice-note': () => ({ audioMessage: { ptt: true } }),
  video: (input) => ({ videoMessage: caption(input) }),
  file: () => ({ documentMessage: { fileName: 'order.pdf' } }),
  sticker: () => ({ stickerMessage: {} }),
  location: () => ({ locationMessage: degrees }),
  contact: () => ({
    contactMessage: { displayName: 'Bo', vcard: 'BEGIN:VCARD\nVERSION:3.0\nFN:Bo\nTEL:+34611000000\nEND:VCARD' },
  }),
  reaction: (input) => ({ reactionMessage: { key: keyOf(input), text: input.text ?? THUMB } }),
  edit: (input) => ({
    protocolMessage: {
      key: keyOf(input),
      type: 'MESSAGE_EDIT',
      editedMessage: { conversation: input.text ?? 'Hello again' },
    },
  }),
  withdrawal: (input) => ({ protocolMessage: { key: keyOf(input), type: 'REVOKE' } }),
  poll: ({ text = 'Which day?' }) => ({
    pollCreationMessageV3: { name: text, options: [{ optionName: 'Friday' }, { optionName: 'Saturday' }] },
  }),
  'live-location': () => ({ liveLocationMessage: { ...degrees, sequenceNumber: 1 } }),
}

const TIKTOK: Record<string, Say> = {
  text: words.text,
  picture: () => ({ type: 'image', image: {} }),
  video: () => ({ type: 'video', video: {} }),
  sticker: () => ({ type: 'sticker', sticker: {} }),
}

/** Without content, the simulator brings a sample of the type. */
const carried =
  (filename: string, mime_type: string, content?: string): Say =>
  ({ text = 'Please see the file.' }) => ({
    subject: 'Order',
    text,
    attachments: [{ filename, mime_type, ...(content && { data: Buffer.from(content).toString('base64') }) }],
  })

const EMAIL: Record<string, Say> = {
  ...words,
  picture: carried('order.jpg', 'image/jpeg'),
  'voice-note': carried('note.ogg', 'audio/ogg'),
  video: carried('order.mp4', 'video/mp4'),
  file: carried('order.pdf', 'application/pdf'),
  contact: carried('bo.vcf', 'text/vcard', 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bo\r\nEND:VCARD\r\n'),
}

const CHANNELS: Record<string, Record<string, Say>> = {
  whatsapp: WHATSAPP,
  whatsapp_qr: PAIRED_PHONE,
  instagram: INSTAGRAM,
  messenger: MESSENGER,
  facebook: MESSENGER,
  telegram: TELEGRAM,
  tiktok: TIKTOK,
  email: EMAIL,
}

/** The kinds that people can send on a channel of the simulator; undefined for other channels. */
export function kindsOn(channel: string): string[] | undefined {
  return Object.hasOwn(CHANNELS, channel) ? Object.keys(CHANNELS[channel]!) : undefined
}

/** The `message` of POST /_control/inbound, and its `context`. `kind` is one of the channel's. */
export function inboundOf(channel: string, kind: string, input: Input): { message: Json | string; context?: Json } {
  const message = CHANNELS[channel]![kind]!(input)
  return kind === 'quote' ? { message, context: { message_id: input.about } } : { message }
}
