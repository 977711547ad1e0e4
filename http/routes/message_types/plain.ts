/** `text`, `location`, `contacts`, `reaction`. */
import * as v from 'valibot'
import { maxCharacters } from '../../../actors/mod.ts'
import { messageId, text } from './bounds.ts'

const place = v.optional(text(1000))
const short = v.optional(text(256))
/** Maximum phones, and maximum e-mail addresses, of one contact. */
const MAX_OF_EACH = 20

/** True for one emoji as people see it, however many code points it has. An empty text removes a reaction. */
function isOneEmoji(text: string): boolean {
  if (text === '') return true
  const [first, second] = new Intl.Segmenter().segment(text)
  return (
    first !== undefined && second === undefined && /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(text)
  )
}

export const plainTypes = [
  v.strictObject({ type: v.literal('text'), body: text(4096), preview_url: v.optional(v.boolean()) }),
  v.strictObject({
    type: v.literal('location'),
    latitude: v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
    longitude: v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
    name: place,
    address: place,
  }),
  v.strictObject({
    type: v.literal('contacts'),
    contacts: v.pipe(
      v.array(
        v.strictObject({
          name: v.strictObject({ formatted_name: text(256), first_name: short, last_name: short }),
          phones: v.optional(
            v.pipe(v.array(v.strictObject({ phone: text(32), type: short })), v.maxLength(MAX_OF_EACH)),
          ),
          emails: v.optional(
            v.pipe(v.array(v.strictObject({ email: text(320), type: short })), v.maxLength(MAX_OF_EACH)),
          ),
          org: v.optional(v.strictObject({ company: short, title: short })),
        }),
      ),
      v.minLength(1),
      v.maxLength(50),
    ),
  }),
  v.strictObject({
    type: v.literal('reaction'),
    message_id: messageId,
    emoji: v.pipe(v.string(), maxCharacters(64), v.check(isOneEmoji, 'must be one emoji, or empty to take it back')),
  }),
]
