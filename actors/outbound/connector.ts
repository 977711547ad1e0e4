/** Makes connections to addresses that were checked. */
import type { LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import { buildConnector } from 'undici'
import { type OutboundProxy, openTunnel } from './proxy.ts'

type Options = {
  /** Checked addresses of a host: of a name the resolved ones, of a literal address itself. */
  addressesOf: (host: string) => Promise<string[]>
  lookup: LookupFunction
  /** In addition to the roots of the system (PEM). */
  certificates: readonly string[]
  proxy: OutboundProxy | undefined
  timeout_ms: number
}

/** Connects directly or through the proxy. TLS is verified end to end in both cases, and cannot be switched off. */
export function createConnector(options: Options): buildConnector.connector {
  const { addressesOf, lookup, certificates, proxy, timeout_ms } = options
  const connect = buildConnector({
    allowH2: false,
    timeout: timeout_ms,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    lookup,
    // Stated explicitly, because NODE_TLS_REJECT_UNAUTHORIZED and --tls-min-v1.0 change the defaults.
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
