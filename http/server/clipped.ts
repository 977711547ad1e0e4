/** Characters of a client's word that an answer repeats. */
const LONGEST = 256

/** A word of the client's as an answer shows it: an answer must not become many times as long as its request. */
export function clipped(word: string): string {
  return word.length <= LONGEST ? word : `${word.slice(0, LONGEST).toWellFormed()}…`
}
