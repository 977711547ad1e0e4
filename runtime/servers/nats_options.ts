import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'

/** How long a server may take to greet, before the next one is tried: a machine that is gone does not even refuse. */
const GREETING_MS = 5000

/**
 * What `connect()` needs for a NATS_URL. The client library takes addresses only, so the credentials of
 * `nats://token@host:port` or `nats://user:password@host:port` are taken out of them here.
 * Several servers of one cluster are separated by commas; the first credentials hold for all. `tls://` requires TLS.
 */
export function natsOptions(nats_url: string): NodeConnectionOptions {
  const urls = nats_url.split(',').map((part) => new URL(part.includes('://') ? part.trim() : `nats://${part.trim()}`))
  const options: NodeConnectionOptions = { servers: urls.map((url) => url.host), timeout: GREETING_MS }
  if (urls.some((url) => url.protocol === 'tls:')) options.tls = {}
  const known = urls.find((url) => url.username)
  if (!known) return options
  const name = decodeURIComponent(known.username)
  return known.password
    ? { ...options, user: name, pass: decodeURIComponent(known.password) }
    : { ...options, token: name }
}

/** The part of the client library's inside that is needed here. */
type Inside = { protocol?: { servers?: { servers?: { lastConnect: number }[] } } }

/**
 * The client library measures the pause between two tries to connect by the wall clock: once the clock was set back by a month it
 * would not try again for a month. Forgets tries that lie in the future.
 */
export function forgetFutureTries(connection: NatsConnection, now: number): void {
  const { protocol } = connection as unknown as Inside
  for (const server of protocol?.servers?.servers ?? []) if (server.lastConnect > now) server.lastConnect = 0
}
