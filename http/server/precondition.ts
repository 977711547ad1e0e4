/** What a client has seen of a record, and lets decide whether its request still holds (RFC 9110, 13). */
import type * as uWS from 'uWebSockets.js'

export type Preconditions = {
  /** Versions of which the record must have one; undefined when any will do. */
  if_match: string[] | undefined
  /** As it came. */
  if_none_match: string
}

export function preconditionsOf(request: uWS.HttpRequest): Preconditions {
  return { if_match: matchOf(request.getHeader('if-match')), if_none_match: request.getHeader('if-none-match') }
}

/**
 * The strong tags of the list, without their quotes. A weak one never matches, and neither does what is no tag: a list
 * without a strong one is met by nothing. `*` is met by any record that is there.
 */
function matchOf(header: string): string[] | undefined {
  if (header === '' || header.trim() === '*') return undefined
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => weak === undefined).map(([, , tag]) => tag!)
}
