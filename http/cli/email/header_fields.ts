/** Parses header fields from text, in one pass: for the parts of a mail that no library reads. */

/** Maximum characters of a field; the rest is ignored. */
const LONGEST_FIELD = 4_096

/** The parts before and after the first blank line. Lines end as in the mail. */
export function divide(text: string): { head: string; body: string } {
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    const next = text[at + 1] === '\r' ? at + 2 : at + 1
    if (text[next] === '\n') return { head: text.slice(0, at + 1), body: text.slice(next + 1) }
  }
  return { head: text, body: '' }
}

/** Values by name in lower case, folded lines as one. Of several fields with one name the first, or the last. */
export function fieldsOf(text: string, which: 'first' | 'last'): Map<string, string> {
  const fields = new Map<string, string>()
  let name = ''
  let value = ''
  const keep = () => {
    if (name !== '' && (which === 'last' || !fields.has(name))) fields.set(name, value.trim())
    name = ''
  }
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, Math.min(end < 0 ? text.length : end, at + LONGEST_FIELD))
    at = end < 0 ? text.length : end + 1
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (value.length < LONGEST_FIELD) value += ` ${line.trim()}`
      continue
    }
    keep()
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    name = line.slice(0, colon).trim().toLowerCase()
    value = line.slice(colon + 1).trim()
  }
  keep()
  return fields
}
