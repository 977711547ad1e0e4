/** Marks words in a text on the page, by ranges: the elements stay as they are. */
import { folded } from '../folded.ts'

const NAME = 'knowledge-found'
/** Ranges that are marked. */
const MAX = 500

/**
 * Marks the words, and scrolls to the first. Returns a function that takes the marks away.
 *
 * @param words separated by spaces
 */
export function mark(place: HTMLElement, words: string) {
  const terms = [...new Set(folded(words).split(/\s+/).filter(Boolean))]
  if (terms.length === 0 || !globalThis.CSS?.highlights) return undefined
  const ranges: Range[] = []
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && ranges.length < MAX; node = walker.nextNode()) {
    ranges.push(...rangesIn(node as Text, terms))
  }
  CSS.highlights.set(NAME, new Highlight(...ranges))
  ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: 'center' })
  return () => {
    CSS.highlights.delete(NAME)
  }
}

function rangesIn(node: Text, terms: readonly string[]) {
  const text = node.data
  // Only texts whose folded form has the same places can be marked by them.
  const plain = folded(text).length === text.length ? folded(text) : text.toLowerCase()
  const ranges: Range[] = []
  if (plain.length !== text.length) return ranges
  for (const word of terms) {
    for (let at = plain.indexOf(word); at >= 0 && ranges.length < MAX; at = plain.indexOf(word, at + word.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + word.length)
      ranges.push(range)
    }
  }
  return ranges
}
