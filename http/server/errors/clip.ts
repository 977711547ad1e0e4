/** Maximum characters of a client's text that an answer repeats. */
const MAX_LENGTH = 256

/** Shortens a text of the client for an answer, so that the answer is not many times as long as its request. */
export function clip(word: string): string {
  return word.length <= MAX_LENGTH ? word : `${word.slice(0, MAX_LENGTH).toWellFormed()}…`
}
