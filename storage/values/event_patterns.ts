/**
 * Patterns of event types: `crm.ticket.*` stands for all types that begin with `crm.ticket.`, and `*` for all types. A
 * subscription stores its list as given, followed by the types that the patterns stood for: nodes of a release that
 * knows no patterns match these.
 */

/** True for text that ends with `*`; whether it is well-formed is another question. */
export function isPattern(entry: string): boolean {
  return entry.endsWith('*')
}

/** True when the pattern includes this other type or pattern. */
export function covers(pattern: string, entry: string): boolean {
  return isPattern(pattern) && entry !== pattern && entry.startsWith(pattern.slice(0, -1))
}

/** The list as it was given, without the types that its patterns stand for. */
export function patternsOf(stored: readonly string[]): string[] {
  const patterns = stored.filter(isPattern)
  return stored.filter((entry) => !patterns.some((pattern) => covers(pattern, entry)))
}
