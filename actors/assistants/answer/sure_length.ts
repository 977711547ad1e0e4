/** Tells how much of an unfinished sentence no promise of a person can need. */
import { promiseWords } from './promise_words.ts'
import { folding, WITHOUT_SPACES } from './promises.ts'

type Letters = { [letter: string]: Letters } & { ''?: true }

/** Words of deeds and of people, as trees of letters. The words of the writer alone promise nothing. */
const spaced_words = treeOf((language) => !WITHOUT_SPACES.has(language))
const unspaced_words = treeOf((language) => WITHOUT_SPACES.has(language))

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u
/** Characters of a word in scripts without spaces. */
const MAX_UNSPACED = 30

/** Characters before the first word of a deed or of people, or before a beginning of one at the end. */
export function sureLength(sentence: string): number {
  return Math.min(firstSpaced(sentence), firstUnspaced(sentence), sentence.length)
}

function treeOf(isOurs: (language: string) => boolean): Letters {
  const tree: Letters = Object.create(null)
  for (const [language, { alone, deed, who, will }] of Object.entries(promiseWords)) {
    if (!isOurs(language)) continue
    for (const word of [...alone, ...deed, ...who, ...will]) {
      let at = tree
      for (const letter of folding(word)) {
        at[letter] ??= Object.create(null) as Letters
        at = at[letter]
      }
      at[''] = true
    }
  }
  return tree
}

function firstSpaced(sentence: string): number {
  const found = [...sentence.matchAll(/[\p{L}\p{N}\p{M}]+/gu)]
  const words = found.map(({ 0: word }) => folding(word))
  const first = words.findIndex((_, index) => begins(spaced_words, lettersFrom(words, index)))
  return found[first]?.index ?? Number.POSITIVE_INFINITY
}

function* lettersFrom(words: readonly string[], index: number): Generator<string> {
  for (let at = index; at < words.length; at++) {
    yield* words[at]!
    // The next word begins behind a space, also one that is yet to come.
    yield ' '
  }
}

function firstUnspaced(sentence: string): number {
  if (!UNSPACED.test(sentence)) return Number.POSITIVE_INFINITY
  const letters = [...sentence]
  const folded = letters.map(folding)
  let from = 0
  for (const [index, letter] of letters.entries()) {
    if (UNSPACED.test(letter) && begins(unspaced_words, folded.slice(index, index + MAX_UNSPACED))) return from
    from += letter.length
  }
  return Number.POSITIVE_INFINITY
}

/** True when the letters begin with one of the words, or are the beginning of one. */
function begins(tree: Letters, letters: Iterable<string>): boolean {
  let at = tree
  for (const letter of letters) {
    const next = at[letter]
    if (!next) return false
    if (next['']) return true
    at = next
  }
  return true
}
