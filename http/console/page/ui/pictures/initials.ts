const characters = new Intl.Segmenter()

/**
 * The first characters of the first and the last word as people see them: a flag is one. Words of signs alone count only
 * where there are no others.
 */
export function initials(name: string) {
  const all = name.replace(/^\+/, '').trim().split(/\s+/)
  const lettered = all.filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const words = lettered.length > 0 ? lettered : all
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen
    .map((word = '') => characters.segment(word)[Symbol.iterator]().next().value?.segment ?? '')
    .join('')
    .toUpperCase()
}
