/**
 * The outbound guard: no URL that a user gives makes the server reach its own network.
 *
 * 1. Only https; plain http solely to a literal address or `localhost` inside the networks the operator opened.
 * 2. A name is resolved once per connection, all answers; one forbidden answer refuses the name.
 * 3. The connection goes to an address that was checked: the socket gets the checked answers and resolves nothing
 *    again. TLS still names and verifies the host of the URL. A proxy gets the address, too, never the name.
 * 4. The check sits in the connector, so no user of the guard's dispatcher can bypass it, and a kept connection leads
 *    to an address that was checked.
 */
import { isIP, type LookupFunction } from 'node:net'
import { Agent } from 'undici'
import { createConnector } from './connector.ts'
import { type GuardCode, Refused } from './failures.ts'
import { Networks } from './networks.ts'
import { parseUrl } from './parse_url.ts'
import { type OutboundProxy, parseProxy } from './proxy.ts'
import { noAddress, type Resolve, systemResolve } from './resolve.ts'

export type GuardOptions = {
  /** CIDRs or addresses that the operator opened (`PARLEY_ALLOW_NETWORKS`). */
  allow_networks?: readonly string[]
  resolve?: Resolve
  /** Certificate authorities (PEM) in addition to the system's, for receivers with a private one (`PARLEY_CA_FILE`). */
  certificates?: readonly string[]
  /** URL of the HTTP proxy for all connections (`PARLEY_OUTBOUND_PROXY`). The proxy's address is not checked. */
  proxy?: string | null
  /** True while nothing may go out of the cluster: no connection is made. Default never. */
  isQuiet?: () => boolean
  /** Milliseconds for resolving the name, and for connecting. */
  connect_timeout_ms?: number
}

export type UrlVerdict = { ok: true; url: URL } | { ok: false; code: GuardCode; message: string }

const CONNECT_TIMEOUT_MS = 10_000
/**
 * Maximum idle time of a kept connection, even when the receiver promises longer. Shorter than the time-outs of
 * receivers (the shortest in common use is gunicorn's 2 s): a request sent while the receiver closes the connection
 * fails.
 */
const KEEP_ALIVE_MS = 1_500
/** Makes a busy connection follow the name to a new address eventually. */
const REQUESTS_PER_CONNECTION = 1_000
/** Maximum addresses of a name. More would let its owner aim a burst of connections with each delivery. */
const MAX_ADDRESSES = 8

export class OutboundGuard {
  readonly #networks: Networks
  readonly #resolve: Resolve
  readonly #certificates: readonly string[]
  readonly #proxy: OutboundProxy | undefined
  readonly #isQuiet: () => boolean
  readonly #connect_timeout_ms: number

  constructor(options: GuardOptions = {}) {
    const { allow_networks, resolve = systemResolve(), certificates = [], proxy } = options
    this.#networks = new Networks(allow_networks)
    this.#isQuiet = options.isQuiet ?? (() => false)
    this.#resolve = resolve
    this.#certificates = certificates
    this.#proxy = proxy ? parseProxy(proxy) : undefined
    this.#connect_timeout_ms = options.connect_timeout_ms ?? CONNECT_TIMEOUT_MS
  }

  /** Checks a URL without resolving its name: for validating stored URLs. */
  checkUrl(text: string): UrlVerdict {
    const url = parseUrl(text)
    if (!url || url.hostname === '')
      return refuse('url_invalid', 'Give an absolute URL such as https://example.com/hook.')
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('url_scheme', 'Use an https:// URL.')
    if (url.username !== '' || url.password !== '')
      return refuse('url_credentials', 'Leave user name and password out of the URL; send a header instead.')
    const refused = this.#refusal(url.protocol, bareHost(url.hostname))
    return refused ? refuse(refused.code, refused.message) : { ok: true, url }
  }

  /** A pool of connections under the rules above. The caller closes it. */
  createDispatcher(): Agent {
    const connect = createConnector({
      addressesOf: (host) => this.addressesOf(host),
      lookup: this.#lookup,
      certificates: this.#certificates,
      proxy: this.#proxy,
      timeout_ms: this.#connect_timeout_ms,
      isQuiet: this.#isQuiet,
    })
    return new Agent({
      connect: (target, callback) => {
        const refused = this.#refusal(target.protocol, bareHost(target.hostname))
        if (refused) callback(refused, null)
        else connect(target, callback)
      },
      allowH2: false,
      pipelining: 1,
      // Many tenants send to one host. Senders limit themselves; a limit here would let one hanging receiver delay the
      // others.
      connections: null,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxRequestsPerClient: REQUESTS_PER_CONNECTION,
    })
  }

  /** The reason to refuse this host as written; a name is checked again by its addresses. */
  #refusal(protocol: string, host: string): Refused | undefined {
    const is_localhost = isLocalhost(host)
    if (protocol === 'http:') {
      const open = is_localhost ? this.#loopback().length > 0 : this.#networks.allows(host)
      if (!open) return new Refused('url_scheme', 'Use an https:// URL.')
    }
    if (is_localhost ? this.#loopback().length > 0 : isIP(host) === 0 || this.#networks.permits(host)) return undefined
    return forbidden(host)
  }

  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    const answer = (addresses: string[]) => {
      const all = addresses.map((address) => ({ address, family: isIP(address) }))
      if (options.all) callback(null, all)
      else callback(null, all[0]?.address ?? '', all[0]?.family)
    }
    this.addressesOf(hostname).then(answer, (error: Error) => callback(error, []))
  }

  /** The checked addresses of a host, at most eight. Rejects with `Refused`, or with the resolver's error. */
  async addressesOf(host: string): Promise<string[]> {
    if (isLocalhost(host)) return this.#loopback()
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host]
    if (addresses.length === 0) throw noAddress(host)
    if (!addresses.every((address) => this.#networks.permits(address))) throw forbidden(host)
    return addresses.slice(0, MAX_ADDRESSES)
  }

  #loopback(): string[] {
    return ['127.0.0.1', '::1'].filter((address) => this.#networks.allows(address))
  }
}

function isLocalhost(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(host)
}

function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

function forbidden(host: string): Refused {
  return new Refused('address_forbidden', `${host} is not an address on the public Internet.`)
}

function refuse(code: GuardCode, message: string): UrlVerdict {
  return { ok: false, code, message }
}
