import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'
import { fileCredentials } from './nats_credentials.ts'

/** Maximum time for a server to greet, before the next one is tried: a machine that is gone does not even refuse. */
const GREETING_MS = 5000

/**
 * Options of `connect()` for a NATS_URL. The client library takes addresses only, so the credentials of
 * `nats://token@host:port` or `nats://user:password@host:port` are extracted here, or read from the file of
 * `nats://host:port?creds=/path`. Several servers of one cluster are separated by commas; the first credentials hold for
 * all. `tls://` requires TLS.
 *
 * @throws {Error} when the file of credentials cannot be used
 */
export function natsOptions(nats_url: string): NodeConnectionOptions {
  const urls = nats_url.split(',').map((part) => new URL(part.includes('://') ? part.trim() : `nats://${part.trim()}`))
  const options: NodeConnectionOptions = { servers: urls.map((url) => url.host), timeout: GREETING_MS }
  if (urls.some((url) => url.protocol === 'tls:')) options.tls = {}
  const creds = urls.map((url) => url.searchParams.get('creds')).find((path) => path)
  if (creds) return { ...options, authenticator: fileCredentials(creds) }
  const known = urls.find((url) => url.username)
  if (!known) return options
  const name = decodeURIComponent(known.username)
  return known.password
    ? { ...options, user: name, pass: decodeURIComponent(known.password) }
    : { ...options, token: name }
}

/** The internals of the client library that are needed here. */
type Inside = { protocol?: { servers?: { servers?: { lastConnect: number }[] } } }

/**
 * Forgets connection attempts that lie in the future. The client library measures the pause between two attempts by the
 * wall clock: once that was set back by a month, the library would not try again for a month.
 */
export function forgetFutureTries(connection: NatsConnection, now: number): void {
  const { protocol } = connection as unknown as Inside
  for (const server of protocol?.servers?.servers ?? []) if (server.lastConnect > now) server.lastConnect = 0
}
