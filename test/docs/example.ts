/**
 * Decides whether an answer is the one that a page shows, apart from values that differ from run to run: ids, times,
 * secrets and durations. An id of the page stands for one id of the run, everywhere.
 */
const ID = /^(?:(?:msg|wh|evt|dlv|brd)_)?[0-9a-f]{24}$|^wamid\.|^whsec_|^svc_pk_|^req_/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export class Example {
  /** The names of the page, with the names of this run. */
  readonly names = new Map<string, string>()

  /** Returns the first place where `actual` differs from the page, or undefined. */
  difference(shown: unknown, actual: unknown, path = 'answer'): string | undefined {
    if (typeof shown === 'string' && typeof actual === 'string') return this.#textDifference(shown, actual, path)
    if (path.endsWith('.duration_ms')) return typeof actual === 'number' ? undefined : `${path} is ${actual}`
    if (typeof shown !== 'object' || shown === null || typeof actual !== 'object' || actual === null) {
      return Object.is(shown, actual) ? undefined : `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(shown)}`
    }
    const keys = new Set([...Object.keys(shown), ...Object.keys(actual)])
    for (const key of keys) {
      if (!(key in shown)) return `${path}.${key} is not shown`
      if (!(key in actual)) return `${path}.${key} does not exist`
      const [one, other] = [shown, actual] as Record<string, unknown>[]
      const found = this.difference(one![key], other![key], `${path}.${key}`)
      if (found) return found
    }
    return undefined
  }

  #textDifference(shown: string, actual: string, path: string): string | undefined {
    if (TIME.test(shown) && TIME.test(actual)) return undefined
    if (ID.test(shown) && ID.test(actual)) {
      const known = this.names.get(shown)
      this.names.set(shown, known ?? actual)
      return known && known !== actual ? `${path} is ${actual}, but ${shown} was ${known} before` : undefined
    }
    return masked(this.translate(shown)) === masked(actual) ? undefined : `${path} is "${actual}", not "${shown}"`
  }

  /** Returns the text of the page with the names of this run. */
  translate(text: string): string {
    // The longest name comes first, because the beginning of a secret is a name too.
    const names = [...this.names].toSorted(([one], [other]) => other.length - one.length)
    return names.reduce((translated, [shown, actual]) => translated.replaceAll(shown, actual), text)
  }
}

/** Masks values that differ from run to run. */
export function masked(text: string): string {
  return text
    .trim()
    .replaceAll(/\r/g, '')
    .replaceAll(/\b(?:(msg|wh|evt|dlv|brd)_)?[0-9a-f]{24}\b/g, '$1_ID')
    .replaceAll(/\b(svc_pk_|whsec_|wamid\.|req_)[\w/+=-]+/g, '$1…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\d\d:\d\d:\d\d/g, 'TIME')
    .replaceAll(/\bin \d+ (seconds|ms)\b/g, 'in N $1')
    .replaceAll(/\d+ event types/g, 'N event types')
    .replaceAll(/^(X-RateLimit-(?:Remaining|Reset)-\w+): \d+$/gm, '$1: N')
}
