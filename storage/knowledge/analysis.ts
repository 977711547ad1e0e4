/** The words of a document as they go into the index, and the text by which its language is detected. */
import { wordsIn } from './words.ts'

/** The script of a thread that answers `DocumentText` with its `Analysis` and the detected language. */
export const ANALYSIS_SCRIPT = new URL('./analysis_thread.ts', import.meta.url)

/** The indexed parts of a document. */
export type DocumentText = { name: string; content: string }

/** Distinct words of a document; the lists run in parallel. */
export type Analysis = {
  words: string[]
  counts: number[]
  /** The first place in the content, in characters (code points); -1 for words of the name alone. */
  places: number[]
  /** All words, repetitions included. */
  total: number
}

/** A word of the name counts as this many in the text. */
const NAME_WEIGHT = 3
/**
 * Maximum distinct words of a document; further ones are not indexed. Books of half a million characters have fewer, and
 * writing a hundred thousand held the event loop for half a second.
 */
export const MAX_WORDS = 20_000
/** Characters by which the language is detected. */
const SAMPLE = 4000

export function analyse({ name, content }: DocumentText): Analysis {
  const words = new Map<string, { count: number; place: number }>()
  let total = 0
  for (const { word } of wordsIn(name)) {
    const known = words.get(word)
    if (known) known.count += NAME_WEIGHT
    else words.set(word, { count: NAME_WEIGHT, place: -1 })
    total++
  }
  const place = placesIn(content)
  for (const { word, from } of wordsIn(content)) {
    const known = words.get(word)
    if (!known) {
      if (words.size < MAX_WORDS) words.set(word, { count: 1, place: place(from) })
    } else {
      known.count++
      if (known.place < 0) known.place = place(from)
    }
    total++
  }
  const all = [...words.values()]
  return {
    words: [...words.keys()],
    counts: all.map(({ count }) => count),
    places: all.map(({ place }) => place),
    total,
  }
}

/** The beginning of a document, from which its language is detected. */
export function languageSample({ name, content }: DocumentText): string {
  return `${name}\n${content.slice(0, SAMPLE)}`.toWellFormed()
}

/** Converts growing places from UTF-16 units to characters. */
function placesIn(text: string): (unit: number) => number {
  if (!/[\ud800-\udfff]/.test(text)) return (unit) => unit
  let [last, pairs] = [0, 0]
  return (unit) => {
    for (; last < unit; last++) if (text.charCodeAt(last) >> 10 === 0x37) pairs++
    return unit - pairs
  }
}
