/**
 * Rewrites the source of a regular expression so that it accepts both cases without the flag `i`: `[a-f]_x` becomes
 * `[A-Fa-f]_[Xx]`. Named groups are not supported.
 */
export function ignoringCase(source: string): string {
  let is_in_class = false
  return source.replace(/\\(?:[pPu]\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|.)|[[\]]|[a-z]-[a-z]|[a-z]/gi, (part) => {
    if (part === '[' || part === ']') is_in_class = part === '['
    if (!/^[a-z]/i.test(part)) return part
    if (is_in_class) return part.toUpperCase() + part.toLowerCase()
    return part.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
  })
}

/** Writes Unicode's class of control characters out: many readers of patterns know no classes. */
export function withoutClasses(source: string): string {
  return source.replaceAll('\\P{Cc}', '[^\\u0000-\\u001f\\u007f-\\u009f]')
}
