import * as v from 'valibot'
import { composedText } from './composed_text.ts'
import { maxCharacters, minCharacters } from './length.ts'

/** A text of 1 to `most` characters that clients write. Answers show it without the bounds. */
export function text(most: number) {
  return v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(most), v.string())
}
