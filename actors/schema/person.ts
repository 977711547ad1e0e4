/** Fields about people, as clients write them. */
import * as v from 'valibot'
import { E164, phoneExpected } from '../values/phone.ts'
import { composedText } from './composed_text.ts'
import { maxCharacters } from './length.ts'

export const email = v.pipe(
  v.string('must be a string'),
  composedText(),
  v.trim(),
  maxCharacters(254),
  v.email('must be an e-mail address such as ana@example.com'),
)

/** With the leading `+`. */
export const phone = v.pipe(v.string('must be a string'), v.regex(E164, `must be ${phoneExpected}`))
