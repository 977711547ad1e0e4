/** The highlights of a search, which the server answers as HTML whose only tag is `<em>`. No DOM. */

const ENTITIES: Partial<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

export function piecesOf(markup: string): { text: string; is_found: boolean }[] {
  const parts = markup.split(/<\/?em>/)
  return parts.map((text, at) => ({ text: plain(text), is_found: at % 2 === 1 })).filter(({ text }) => text !== '')
}

/** The words that were found, for the address of the document. */
export function wordsOf(markup: string) {
  const words = piecesOf(markup).flatMap(({ text, is_found }) => (is_found ? [text.toLowerCase()] : []))
  return [...new Set(words)].slice(0, 8).join(' ')
}

function plain(markup: string) {
  return markup.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}
