/** The facts about the page and connection of a console request. */
import type * as uWS from 'uWebSockets.js'
import { parseUrl } from '../../../actors/mod.ts'
import type { PageCall } from '../route/route.ts'
import { sessionHash } from './cookie.ts'

export type PageRules = {
  clientAddress: (response: uWS.HttpResponse, request: uWS.HttpRequest) => string
  /** Browsers reach us over TLS only. */
  is_secure: boolean
}

/** Call before the handler of uWebSockets.js returns. */
export function pageCallOf(rules: PageRules, response: uWS.HttpResponse, request: uWS.HttpRequest): PageCall {
  return {
    address: rules.clientAddress(response, request),
    session_hash: sessionHash(request.getHeader('cookie')),
    user_id: request.getHeader('parley-user') || undefined,
    is_secure: rules.is_secure,
  }
}

/**
 * True when the request comes from a page that this server served. Browsers report that in `Sec-Fetch-Site`; over plain
 * HTTP, and older ones, only in `Origin`. A request with neither does not come from a page.
 */
export function isOwnPage(header: (name: string) => string | undefined): boolean {
  const site = header('sec-fetch-site')
  if (site) return site === 'same-origin'
  const host = header('host')
  return Boolean(host) && parseUrl(header('origin') ?? '')?.host === host!.toLowerCase()
}
