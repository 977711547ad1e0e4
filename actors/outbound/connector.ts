/** How connections are made once it is known that, and where to, they may be. */
import type { LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import { buildConnector } from 'undici'
import { type OutboundProxy, openTunnel } from './proxy.ts'

type Options = {
  /** Checked addresses of a host: of a name those it resolves to, of a literal address itself. */
  addressesOf: (host: string) => Promise<string[]>
  lookup: LookupFunction
  /** Beyond the roots of the system (PEM). */
  certificates: readonly string[]
  proxy: OutboundProxy | undefined
  timeout_ms: number
}

/** Connects straight or through the proxy. TLS is verified end to end whichever way, and cannot be told not to be. */
export function createConnector(options: Options): buildConnector.connector {
  const { addressesOf, lookup, certificates, proxy, timeout_ms } = options
  const connect = buildConnector({
    allowH2: false,
    timeout: timeout_ms,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    lookup,
    // Said in full, because NODE_TLS_REJECT_UNAUTHORIZED and --tls-min-v1.0 change what holds when nothing is said.
    rejectUnauthorized: true,
    // Made once: a context with a hundred roots costs milliseconds.
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(certificates.length > 0 && { ca: [...getCACertificates('default'), ...certificates] }),
    }),
  })
  if (!proxy) return connect

  return (target, callback) => {
    const { protocol, hostname } = target
    const port = Number(target.port || (protocol === 'https:' ? 443 : 80))
    addressesOf(hostname)
      .then((addresses) => openTunnel(proxy, addresses, port, timeout_ms))
      .then(
        (socket) => {
          if (protocol === 'https:') connect({ ...target, httpSocket: socket }, callback)
          else callback(null, socket.setNoDelay(true).setKeepAlive(true, 60_000))
        },
        (error: Error) => callback(error, null),
      )
  }
}
