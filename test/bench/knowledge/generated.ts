/**
 * Any number of texts, the same on every machine: words drawn by Zipf's law from a vocabulary of made-up words. Each
 * text has a subject, whose words are drawn more often.
 */
import type { Text } from './texts.ts'

const VOCABULARY = 60_000
const SUBJECTS = 400
const WORDS_OF_SUBJECT = 40
const SYLLABLES =
  'ba be bi bo da de di do fa fe ga ge ka ke ki la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve vi'.split(
    ' ',
  )

/** A generator of numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The word of this rank; 0 is the most frequent. */
export function wordOf(rank: number): string {
  let word = ''
  for (let rest = rank + SYLLABLES.length ** 2; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length]
  }
  return word
}

export function* generateTexts(count: number): Generator<Text> {
  const random = randomFrom(1)
  const rank = () => Math.floor(VOCABULARY ** random()) - 1
  for (let n = 0; n < count; n++) {
    const subject = Math.floor(random() * SUBJECTS)
    const length = 30 + Math.floor(random() ** 2 * 220)
    const words = Array.from({ length }, () => {
      if (random() < 0.15)
        return wordOf(1_000 + subject * WORDS_OF_SUBJECT + Math.floor(WORDS_OF_SUBJECT * random() ** 2))
      return wordOf(rank())
    })
    yield { id: String(n), name: `${wordOf(1_000 + subject * WORDS_OF_SUBJECT)} ${n}`, content: words.join(' ') }
  }
}

/** Queries by their kind. */
export const queryKinds: Record<string, (random: () => number) => string> = {
  'one of the commonest words': (random) => wordOf(Math.floor(random() * 10)),
  'three of the commonest words': (random) => [0, 1, 2].map((n) => wordOf(n * 7 + Math.floor(random() * 7))).join(' '),
  'three words of a subject': (random) => {
    const first = 1_000 + Math.floor(random() * SUBJECTS) * WORDS_OF_SUBJECT
    return [0, 1, 2].map((n) => wordOf(first + n * 10 + Math.floor(random() * 10))).join(' ')
  },
  'a sentence of eight words': (random) =>
    Array.from({ length: 8 }, () => wordOf(Math.floor(VOCABULARY ** random()) - 1)).join(' '),
  'an unfinished word': (random) => wordOf(Math.floor(random() * 20_000)).slice(0, 4),
  'a typing error': (random) => {
    const word = wordOf(2_000 + Math.floor(random() * 20_000))
    return `${word.slice(0, 2)}x${word.slice(2)} `
  },
}
