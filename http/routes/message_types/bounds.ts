/** Fields that several message types share, with the bounds of WhatsApp, which are the strictest. */
import * as v from 'valibot'
import { across, fieldsOf, isUrl, maxCharacters, minCharacters, repeated } from '../../../actors/mod.ts'
import { lowerOwnId } from '../../server/schema/fields.ts'

const MAX_URL_LENGTH = 2048

/** Text of 1 to `most` characters. */
export function text(most: number) {
  return v.pipe(v.string(), minCharacters(1), maxCharacters(most))
}

export const bodyText = text(1024)
export const footerText = text(60)

/** A public address. Only the provider fetches it, so its content is not checked. */
export const httpUrl = v.pipe(
  v.string(),
  maxCharacters(MAX_URL_LENGTH),
  v.check((url) => /^https?:\/\/[^\s/]/i.test(url) && isUrl(url), 'must be a URL that begins with https://'),
)

/** Our id of an uploaded file, or the provider's id of a file that the provider keeps. */
export const mediaId = v.pipe(
  v.string(),
  v.regex(/^[\w.:-]{1,256}$/, 'must be the media_id of an uploaded or received file'),
  lowerOwnId,
)

/** Our id of a message, or the provider's. */
export const messageId = v.pipe(text(512), lowerOwnId)

/** An object that must have exactly one of `link` and `media_id`. */
export function oneFile<Input>() {
  return across<Input>(
    (value, say) => {
      const { link, media_id } = fieldsOf(value)
      if (link === undefined && media_id === undefined) {
        say('is missing a file: give link, or the media_id of an uploaded one')
      } else if (link !== undefined && media_id !== undefined) {
        say('names two files: give either link or media_id')
      }
    },
    { exactly_one_of: ['link', 'media_id'] },
  )
}

export function areDistinct(items: unknown[]): boolean {
  return repeated(items.map((item) => fieldsOf(item).id)).length === 0
}
