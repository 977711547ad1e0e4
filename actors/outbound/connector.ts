/** Makes connections to addresses that were checked. */
import type { LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import { buildConnector } from 'undici'
import { Refused } from './failures.ts'
import { readOverContinue } from './interim.ts'
import { type OutboundProxy, openTunnel } from './proxy.ts'

type Options = {
  /** Checked addresses of a host: of a name the resolved ones, of a literal address itself. */
  addressesOf: (host: string) => Promise<string[]>
  lookup: LookupFunction
  /** In addition to the roots of the system (PEM). */
  certificates: readonly string[]
  proxy: OutboundProxy | undefined
  timeout_ms: number
  isQuiet: () => boolean
}

const QUIET =
  'Nothing is sent: this database was restored or copied, and is quiet until an operator runs `parley resume`.'

/** Connects directly or through the proxy. TLS is verified end to end in both cases, and cannot be switched off. */
export function createConnector(options: Options): buildConnector.connector {
  const { addressesOf, lookup, certificates, proxy, timeout_ms, isQuiet } = options
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
  const reach = proxy ? throughProxy(connect, proxy, { addressesOf, timeout_ms }) : connect
  return (target, callback) => {
    if (isQuiet()) return callback(new Refused('quiet', QUIET), null)
    reach(target, (error, socket) => {
      if (!socket) callback(error as Error, null)
      else callback(null, readOverContinue(socket))
    })
  }
}

function throughProxy(
  connect: buildConnector.connector,
  proxy: OutboundProxy,
  { addressesOf, timeout_ms }: Pick<Options, 'addressesOf' | 'timeout_ms'>,
): buildConnector.connector {
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
