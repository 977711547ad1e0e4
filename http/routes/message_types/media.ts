/** `image`, `video`, `audio`, `document`, `sticker`: a file by its public link or by its `media_id`. */
import * as v from 'valibot'
import { httpUrl, mediaId, oneFile, text } from './bounds.ts'

const file = { link: v.optional(httpUrl), media_id: v.optional(mediaId) }
const caption = v.optional(text(1024))

export const mediaTypes = [
  v.pipe(v.strictObject({ type: v.literal('image'), ...file, caption }), oneFile()),
  v.pipe(v.strictObject({ type: v.literal('video'), ...file, caption }), oneFile()),
  v.pipe(v.strictObject({ type: v.literal('audio'), ...file, voice: v.optional(v.boolean()) }), oneFile()),
  v.pipe(v.strictObject({ type: v.literal('document'), ...file, caption, filename: v.optional(text(240)) }), oneFile()),
  v.pipe(v.strictObject({ type: v.literal('sticker'), ...file }), oneFile()),
]
