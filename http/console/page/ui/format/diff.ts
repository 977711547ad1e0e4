/** The difference of two texts, line by line. No DOM. */

export type Line = { sign: ' ' | '-' | '+'; text: string }

/** Lines of the parts that differ, up to which a shortest difference is looked for. */
const MAX = 1_500

/** Lines of `before` with `-`, of `after` with `+`, and those of both. */
export function differenceOf(before: string, after: string): Line[] {
  const a = before.split('\n')
  const b = after.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end))
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))]
}

function same(lines: string[]): Line[] {
  return lines.map((text) => ({ sign: ' ', text }))
}

/** Compares by the longest common subsequence; of very long parts, all of one and then all of the other. */
function between(a: string[], b: string[]): Line[] {
  const lines: Line[] = []
  let i = 0
  let j = 0
  if (a.length <= MAX && b.length <= MAX) {
    const width = b.length + 1
    const longest = new Uint16Array((a.length + 1) * width)
    for (let x = a.length - 1; x >= 0; x--) {
      for (let y = b.length - 1; y >= 0; y--) {
        const at = x * width + y
        longest[at] =
          a[x] === b[y] ? (longest[at + width + 1] ?? 0) + 1 : Math.max(longest[at + width] ?? 0, longest[at + 1] ?? 0)
      }
    }
    while (i < a.length && j < b.length) {
      if (a[i] === b[j]) {
        lines.push({ sign: ' ', text: a[i] ?? '' })
        i++
        j++
      } else if ((longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)) {
        lines.push({ sign: '-', text: a[i++] ?? '' })
      } else lines.push({ sign: '+', text: b[j++] ?? '' })
    }
  }
  for (; i < a.length; i++) lines.push({ sign: '-', text: a[i] ?? '' })
  for (; j < b.length; j++) lines.push({ sign: '+', text: b[j] ?? '' })
  return lines
}

/**
 * Without the lines that are far from any difference. A gap is null.
 *
 * @param beside lines kept beside each difference
 */
export function closeLines(lines: readonly Line[], beside: number = 2): (Line | null)[] {
  const kept = new Set()
  for (const [at, { sign }] of lines.entries()) {
    if (sign === ' ') continue
    for (let near = at - beside; near <= at + beside; near++) kept.add(near)
  }
  const result: (Line | null)[] = []
  for (const [at, line] of lines.entries()) {
    if (kept.has(at)) result.push(line)
    else if (result.at(-1) !== null) result.push(null)
  }
  return result
}
