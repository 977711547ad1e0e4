/** The longest name that DNS takes, and its longest part. */
const MAX_HOST_LENGTH = 253
const MAX_LABEL_LENGTH = 63

/**
 * `URL.parse` in linear time. The parser spends quadratic time on the Punycode of a host that no name server would
 * know: 17 s on 300,000 characters. Such a URL counts as none: null.
 */
export function parseUrl(text: string, base?: string): URL | null {
  const [, authority = ''] = /^(?:[^:/\\?#]*:)?[\\/\s]*([^\\/?#]*)/.exec(text) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (/[^\0-\x7f]|%/.test(host)) {
    if (host.length > MAX_HOST_LENGTH) return null
    if (host.split(/[.\u3002\uff0e\uff61]/).some((label) => label.length > MAX_LABEL_LENGTH)) return null
  }
  return URL.parse(text, base)
}

/** True for an absolute URL. */
export function isUrl(text: string): boolean {
  return parseUrl(text) !== null
}
