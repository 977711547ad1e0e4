import { judgedLanguages } from '../../values/judged_languages.ts'

export const JUDGED: ReadonlySet<string> = new Set(judgedLanguages)

/** `scores`: of the judged languages that come into question, from 0 to 1. */
export type Spoken = { language: string; scores: Record<string, number> }

/** Letters below which a text has no language: greetings and names are alike in many. */
const MIN_LETTERS = 12
/** The same for scripts that write a word with a character or two. */
const MIN_IDEOGRAMS = 4
/** Characters that are looked at. */
const MOST = 2_000

const LETTERS = /\p{L}/gu
const IDEOGRAMS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu

/** The part of a text that tells its language; undefined where it is too short. */
export function tellingPart(text: string): string | undefined {
  const words = text.slice(0, MOST).split(/\s+/)
  const part = words.filter((word) => !isAddress(word)).join(' ')
  const enough = countOf(part, LETTERS) >= MIN_LETTERS || countOf(part, IDEOGRAMS) >= MIN_IDEOGRAMS
  return enough ? part : undefined
}

/** Links and addresses are in no language. */
function isAddress(word: string): boolean {
  return /[@/.]./.test(word) && !/^[\p{L}\p{N}]+\.\p{Lu}/u.test(word)
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
