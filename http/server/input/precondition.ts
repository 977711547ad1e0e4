/** Preconditions of a request: the versions that the client has seen decide whether it still applies (RFC 9110, 13). */
import type * as uWS from 'uWebSockets.js'
import type { Route } from '../route/route.ts'

export type Preconditions = {
  /** Versions of which the record must have one; undefined when any will do. */
  if_match: string[] | undefined
  /** The header as sent. */
  if_none_match: string
}

export function preconditionsOf(request: uWS.HttpRequest): Preconditions {
  return { if_match: matchOf(request.getHeader('if-match')), if_none_match: request.getHeader('if-none-match') }
}

/**
 * The strong tags of the list, without their quotes. Weak tags and malformed ones never match: a list without a strong
 * one matches nothing. `*` matches any existing record.
 */
function matchOf(header: string): string[] | undefined {
  if (header === '' || header.trim() === '*') return undefined
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => weak === undefined).map(([, , tag]) => tag!)
}

/** True when clients may name the version that they know. What a request has just created has none before. */
export function takesIfMatch({
  versioned,
  takes_if_match,
  status,
}: Pick<Route, 'versioned' | 'takes_if_match' | 'status'>): boolean {
  return takes_if_match ?? (versioned !== undefined && status === 200)
}
