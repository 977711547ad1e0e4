/** Finds promises of a text that a person will take over. */
import { expanded } from '../expanded_text.ts'
import { type PromiseWords, promiseWords } from './promise_words.ts'

/** Characters of a text that are looked at. An answer has far less. */
const MOST = 20_000
/** Characters between the words of a promise. */
const NEAR = 90
export const WITHOUT_SPACES = new Set(['zh', 'ja'])

/** The words of all languages: models mix them, and nothing says which one a short sentence is in. */
const words = Object.entries(promiseWords).map(([language, lists]) => {
  const is_spaced = !WITHOUT_SPACES.has(language)
  const prepared = (name: string, word: string) => {
    const folded = folding(word)
    if (!is_spaced) return folded
    return name === 'unless' ? ` ${folded} ` : ` ${folded}`
  }
  const entries = Object.entries(lists).map(([name, list]) => [name, list.map((word) => prepared(name, word))])
  return Object.fromEntries(entries) as PromiseWords
})

/** True when a sentence says that a person takes over, or is told. Questions, offers with a condition and refusals do not. */
export function promisesPerson(text: string): boolean {
  return sentencesOf(text.slice(0, MOST)).some(isPromise)
}

/** Sentences with the sign at their end. */
function sentencesOf(text: string): string[] {
  return text.match(/[^.!?。！？؟\n;；]+[.!?。！？؟;；]?/g) ?? []
}

function isPromise(sentence: string): boolean {
  if (/[?？؟]$/.test(sentence)) return false
  const spaced = ` ${folding(sentence)} `
  return words.some(({ i, alone, deed, who, will, unless }) => {
    const is_aimed = firstOf(spaced, who) !== -1
    const begin = firstOf(spaced, i)
    const free = (to: number) => {
      const at = firstOf(spaced, unless)
      return at === -1 || at > to
    }
    if (begin !== -1) {
      // A deed may begin with the word of the writer: "te transfiero".
      for (const at of placesOf(spaced, alone)) if (at >= begin - NEAR && free(at)) return true
      for (const at of is_aimed ? placesOf(spaced, deed) : []) if (isNearAny(spaced, i, at) && free(at)) return true
    }
    return firstOf(spaced, who) !== -1 && placesOf(spaced, will).some(free)
  })
}

function isNearAny(text: string, list: readonly string[], at: number): boolean {
  const window = text.slice(Math.max(0, at - NEAR), at + 1)
  return list.some((word) => window.includes(word) || text.startsWith(word, at))
}

function firstOf(text: string, list: readonly string[]): number {
  let first = -1
  for (const word of list) {
    const at = text.indexOf(word)
    if (at !== -1 && (first === -1 || at < first)) first = at
  }
  return first
}

function placesOf(text: string, list: readonly string[]): number[] {
  return list.flatMap((word) => {
    const at = text.indexOf(word)
    return at === -1 ? [] : [at]
  })
}

/** Lower case without accents, and a space for each run of other signs. */
export function folding(text: string): string {
  return withoutMarks(expanded(withoutMarks(text), 'NFKD'))
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** The text without accents, vowel signs of Arabic and its stretching. Texts without marks are decomposed in linear time. */
function withoutMarks(text: string): string {
  return text.replace(/[\p{Mn}\u0640]/gu, '')
}
