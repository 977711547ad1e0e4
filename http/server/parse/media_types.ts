/** Media types in headers: what a body is (RFC 9110, 8.3), and what a client accepts (12.5.1). */

/** A type and its parameters, in small letters; values in quotes are without them. */
type MediaType = { essence: string; parameters: Map<string, string> }

/** Names of UTF-8, and of ASCII, which is a part of it. */
const UTF8 = new Set(['', 'utf-8', 'utf8', 'unicode-1-1-utf-8', 'us-ascii', 'ascii'])

/**
 * True when the headers announce plain JSON in UTF-8. Parameters of other names mean nothing to JSON (RFC 8259, 11) and are
 * passed over.
 */
export function readableAs(content_type: string, content_encoding: string): boolean {
  if (content_encoding !== '' && content_encoding.toLowerCase() !== 'identity') return false
  if (content_type === 'application/json') return true
  const { essence, parameters } = mediaType(content_type)
  const is_json = essence === 'application/json' || essence === 'text/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(essence)
  return is_json && UTF8.has(parameters.get('charset') ?? '')
}

/** True when a client with this `Accept` takes the type: without the header or with an empty one it takes all. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept.trim() === '') return true
  const ranges = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']
  const qualities = new Map<string, number>()
  for (const range of split(accept, ',')) {
    const { essence, parameters } = mediaType(range)
    const quality = Number(parameters.get('q') ?? 1)
    if (ranges.includes(essence)) qualities.set(essence, Math.max(quality, qualities.get(essence) ?? 0))
  }
  // The most specific range counts.
  const found = ranges.find((range) => qualities.has(range))
  return found !== undefined && qualities.get(found)! > 0
}

function mediaType(text: string): MediaType {
  const [essence = '', ...rest] = split(text, ';')
  const parameters = new Map<string, string>()
  for (const part of rest) {
    const at = part.indexOf('=')
    if (at < 0) continue
    const [name, value] = [part.slice(0, at).trim().toLowerCase(), unquoted(part.slice(at + 1).trim()).toLowerCase()]
    // As with browsers, the first one counts.
    if (!parameters.has(name)) parameters.set(name, value)
  }
  return { essence: essence.trim().toLowerCase(), parameters }
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, value.endsWith('"') ? -1 : undefined).replace(/\\(.)/g, '$1') : value
}

/** The parts between the separators; those in quotes do not count. */
function split(text: string, separator: string): string[] {
  const parts: string[] = []
  let is_quoted = false
  let begin = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') is_quoted = !is_quoted
    else if (sign === '\\' && is_quoted) at++
    else if (sign === separator && !is_quoted) {
      parts.push(text.slice(begin, at))
      begin = at + 1
    }
  }
  parts.push(text.slice(begin))
  return parts
}
