/** The highlights of a search, which the server answers as HTML whose only tag is `<em>`. No DOM. */

/** @type {Partial<Record<string, string>>} */
const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/**
 * @param {string} markup
 * @returns {{ text: string, is_found: boolean }[]}
 */
export function piecesOf(markup) {
  const parts = markup.split(/<\/?em>/)
  return parts.map((text, at) => ({ text: plain(text), is_found: at % 2 === 1 })).filter(({ text }) => text !== '')
}

/**
 * The words that were found, for the address of the document.
 *
 * @param {string} markup
 */
export function wordsOf(markup) {
  const words = piecesOf(markup).flatMap(({ text, is_found }) => (is_found ? [text.toLowerCase()] : []))
  return [...new Set(words)].slice(0, 8).join(' ')
}

/** @param {string} markup */
function plain(markup) {
  return markup.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}
