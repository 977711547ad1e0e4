/** The pages that may show a chat: `allowed_origins` of a channel. */
import { parseUrl } from '../../outbound/mod.ts'
import type { Credentials } from '../provider.ts'

/** Undefined: any page may. */
export function originsIn({ allowed_origins }: Credentials): string[] | undefined {
  return allowed_origins?.split(',').map((origin) => origin.trim().toLowerCase())
}

/** True for a page of one of these origins, which may have the form `https://*.example.org`. */
export function isListed(origins: readonly string[], { origin, protocol, host }: URL): boolean {
  return origins.some((allowed) => {
    const [scheme = '', rest = ''] = allowed.split('://')
    if (!rest.startsWith('*.')) return origin === parseUrl(allowed)?.origin
    return protocol === `${scheme}:` && host.endsWith(rest.slice(1))
  })
}
