/** How well a typed text fits a name. No DOM. */

/** Zero when the letters do not occur in this order; more for the beginnings of words and for letters side by side. */
export function matchOf(typed: string, name: string) {
  const letters = plain(typed).replaceAll(' ', '')
  const text = plain(name)
  let rank = 0
  let at = -1
  for (const letter of letters) {
    const next = text.indexOf(letter, at + 1)
    if (next < 0) return 0
    rank += next === at + 1 ? 4 : 1
    if (next === 0 || text[next - 1] === ' ') rank += 6
    at = next
  }
  return rank - text.length / 200
}

function plain(text: string) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
