import * as v from 'valibot'
import { composedText } from './composed_text.ts'
import { maxCharacters, minCharacters } from './length.ts'

/** A text of 1 to `most` characters. */
export function text(most: number) {
  return v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(most))
}

/** A text that clients write within the bounds of `schema`. Answers show it as any text. */
export function writtenText<Schema extends v.GenericSchema<string, string>>(schema: Schema) {
  return v.pipe(schema, v.string())
}
