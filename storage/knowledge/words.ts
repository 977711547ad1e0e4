import { composed } from '../values/composed_text.ts'

/** Words of texts, the same for documents and searches. All functions take linear time. */

/** Longer words are cut. */
const MAX_LENGTH = 64

export type WrittenWord = {
  /** As written, in lower case: stemmers need the accents. */
  word: string
  /** Its place in UTF-16 units. */
  from: number
  to: number
}

const RUN = /[\p{L}\p{N}\p{M}]+/gu
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u
/** The segmenter's time grows faster than the text: longer runs are cut. */
const PIECE = 500

let segmenter: Intl.Segmenter | undefined

/** The runs of letters and digits. In scripts without spaces, the words that ICU's dictionaries find. */
export function* wordsIn(text: string): Generator<WrittenWord> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (!UNSPACED.test(run)) {
      yield { word: written(run), from: index, to: index + run.length }
      continue
    }
    segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
    for (let start = 0; start < run.length; start += PIECE) {
      for (const { segment, index: at, isWordLike } of segmenter.segment(run.slice(start, start + PIECE))) {
        const from = index + start + at
        if (isWordLike) yield { word: written(segment), from, to: from + segment.length }
      }
    }
  }
}

function written(run: string): string {
  const word = composed(run).toLowerCase()
  return word.length <= MAX_LENGTH ? word : word.slice(0, MAX_LENGTH).toWellFormed()
}

/** Latin, Greek and Cyrillic accents, and the vowel signs that Arabic and Hebrew mostly leave out. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g
const LETTERS: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

/** A word in lower case, without accents. */
export function foldWord(word: string): string {
  if (/^[a-z0-9]*$/.test(word)) return word
  const bare = word.normalize('NFD').replace(MARKS, '').normalize('NFC').toLowerCase()
  return bare.replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter]!)
}
