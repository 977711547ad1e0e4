/**
 * The contents of incoming messages, by their type: the node that WhatsApp's cloud webhooks have under the name of the type,
 * which the other channels have, too. Providers pass more fields through, and leave fields out.
 */

import type { JsonSchema } from '../schema/mod.ts'
import { anyObject, described, flag, list, number, provided, text } from './schema.ts'

const failure = provided(
  { code: { type: ['integer', 'string'] } },
  { title: text, message: text, error_data: provided({}, { details: text }) },
)
export const failures = list(failure)

const of = (properties: Record<string, JsonSchema>): JsonSchema => provided({}, properties)

const entities = described(
  list(of({ type: text, offset: number, length: number, url: text })),
  'Telegram: marks and links in the words; `text_link` has the `url` behind them. UTF-16 units.',
)

const media_status = described(
  { type: 'string', enum: ['pending', 'failed'] },
  '`pending` while the file is fetched from its provider; `{channel}.message.media` tells what came of it.',
)

const story = described(
  of({ id: text, url: text, media_id: text, media_status }),
  'Instagram: the story that is answered, with a `media_id` where the `url` is a file.',
)

const shared = described(
  of({ link: text, title: text, media_id: text, media_status }),
  'Messenger and Instagram: what a person shared, with a `media_id` where the `link` is a file.',
)

const about_file = {
  id: described(text, "The provider's id of the file."),
  media_id: described(text, 'For `GET /v1/media/{id}`, once the file is stored; on WhatsApp at once.'),
  media_status,
  mime_type: text,
  sha256: text,
  caption: text,
  entities,
  file_size: described(number, 'Bytes.'),
  url: described(text, "The provider's address of the file, for a short time."),
  link: described(text, "The provider's address of the file, on channels without ids of files. It may expire."),
  story,
}
const seconds = { duration: described(number, 'Seconds.') }
const pixels = { width: number, height: number }

const person = of({
  name: of({ formatted_name: text, first_name: text, middle_name: text, last_name: text, prefix: text, suffix: text }),
  phones: list(of({ phone: text, wa_id: text, type: text })),
  emails: list(of({ email: text, type: text })),
  urls: list(of({ url: text, type: text })),
  addresses: list(
    of({ street: text, city: text, state: text, zip: text, country: text, country_code: text, type: text }),
  ),
  org: of({ company: text, department: text, title: text }),
  birthday: text,
  user_id: text,
})

const interactive = of({
  type: described(text, '`button_reply`, `list_reply` or `nfm_reply`: the name of the field with the answer.'),
  button_reply: of({ id: text, title: text }),
  list_reply: of({ id: text, title: text, description: text }),
  nfm_reply: described(
    of({ name: text, body: text, response_json: described(text, 'The answers of the Flow, as JSON.') }),
    'The answer to a Flow.',
  ),
})

const order = of({
  catalog_id: text,
  text,
  product_items: list(of({ product_retailer_id: text, quantity: number, item_price: number, currency: text })),
  order_id: described(text, 'On a phone paired by QR code, which tells no items.'),
  item_count: number,
  total: number,
  currency: text,
})

const referral = of({
  source_url: text,
  source_id: text,
  source_type: text,
  headline: text,
  body: text,
  media_type: text,
  image_url: text,
  video_url: text,
  thumbnail_url: text,
  ctwa_clid: text,
})

const context = of({
  id: described(text, "The provider's id of the message that is quoted or answered."),
  from: text,
  forwarded: flag,
  frequently_forwarded: flag,
  referred_product: of({ catalog_id: text, product_retailer_id: text }),
})

/** Each message has the one of its `type`; those from `context` on may come beside it. */
export const incomingContents: Record<string, JsonSchema> = {
  text: of({ body: text, entities, story }),
  image: of({ ...about_file, ...pixels }),
  video: of({ ...about_file, ...pixels, ...seconds, filename: text, gif: flag }),
  audio: of({ ...about_file, ...seconds, filename: text, voice: flag }),
  document: of({ ...about_file, filename: text }),
  sticker: of({ ...about_file, ...pixels, animated: flag, emoji: text }),
  ig_reel: shared,
  ig_post: shared,
  reel: shared,
  share: shared,
  story_mention: shared,
  location: of({ latitude: number, longitude: number, name: text, address: text, url: text }),
  contacts: list(person),
  interactive,
  button: described(of({ text, payload: text }), 'The button of a template.'),
  reaction: of({ message_id: text, emoji: described(text, 'Empty when the reaction was removed.') }),
  order,
  system: of({ type: text, body: text, wa_id: text, user_id: text, previous_user_id: text }),
  edit: of({ original_message_id: text, message: anyObject }),
  revoke: of({ original_message_id: text }),
  unsupported: of({ type: text, kind: text }),
  context,
  quote: described(of({ text, is_manual: flag }), 'The answered words; `is_manual` when the person chose them.'),
  forward_origin: described(anyObject, 'Telegram: who wrote a forwarded message.'),
  external_reply: described(anyObject, 'Telegram: the answered message of another chat.'),
  media_group_id: described(text, 'The same for all files of an album.'),
  message_thread_id: described(number, 'Telegram: the topic of the chat.'),
  business_connection_id: described(text, 'Telegram: the business account to which the person wrote.'),
  referral: described(referral, 'The advertisement or post that led to the conversation.'),
  errors: failures,
}
