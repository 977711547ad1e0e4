import * as v from 'valibot'
import { composedText } from './composed_text.ts'
import { maxCharacters, minCharacters } from './length.ts'

// Checks, because most readers of a description have no Unicode classes in their regular expressions.

/** A text of one line that is not blank, without the blanks around it. */
export function line(most: number) {
  return v.pipe(
    v.string(),
    composedText(),
    v.trim(),
    minCharacters(1),
    maxCharacters(most),
    v.check((text) => !/\p{Cc}/u.test(text), 'must be a text of one line'),
  )
}

/** A name to type: letters, digits, `-` and `_`, kept in lower case. */
export function shortName(most: number) {
  return v.pipe(
    v.string(),
    composedText(),
    minCharacters(1),
    maxCharacters(most),
    v.check((text) => /^[\p{L}\p{M}\p{N}_-]*$/u.test(text), 'must be letters, digits, - and _'),
    v.toLowerCase(),
  )
}
