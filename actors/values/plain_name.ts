/** Controls, line ends, embeddings, overrides and isolates of direction, and marks without a meaning in a name. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]/gu

/**
 * A name or another line without what ends it or turns the order of its letters round; `instead` stands for each. Joiners,
 * soft hyphens and tags stay: they belong to the words of many languages and to emoji.
 */
export function plainName(text: string, instead = ''): string {
  return text.toWellFormed().replace(UNSAFE, instead)
}
