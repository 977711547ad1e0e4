import type * as uWS from 'uWebSockets.js'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/**
 * True when a request came over TLS, as far as can be known: a trusted proxy reports it in `X-Forwarded-Proto`. The
 * header counts only from an address inside `trusted_proxies` (CIDRs). Throws a TypeError for an invalid CIDR.
 */
export function forwardedOverTls(
  trusted_proxies: readonly string[],
): (response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean {
  const networks = trusted_proxies.map(parseNetwork)
  return (response, request) => {
    if (!isInside(networks, peerOf(response))) return false
    // The nearest proxy wrote the last entry; earlier entries are what it received.
    return valuesOf(request, 'x-forwarded-proto').at(-1)?.toLowerCase() === 'https'
  }
}

/**
 * The client address of a request: the nearest address that is not a trusted proxy's. IPv6 addresses are reduced to
 * their network of 64 bits, since one customer has all addresses of it. Throws a TypeError for an invalid CIDR.
 */
export function clientAddress(
  trusted_proxies: readonly string[],
): (response: uWS.HttpResponse, request: uWS.HttpRequest) => string {
  const networks = trusted_proxies.map(parseNetwork)
  return (response, request) => {
    let nearest = peerOf(response)
    if (isInside(networks, nearest)) {
      for (const text of valuesOf(request, 'x-forwarded-for').reverse()) {
        const address = parseAddress(text)
        if (!address) break
        nearest = address
        if (!isInside(networks, nearest)) break
      }
    }
    return nearest ? networkOf(nearest) : 'unknown'
  }
}

/** Values in the order in which proxies wrote them: some extend the header, others add another line of it. */
function valuesOf(request: uWS.HttpRequest, header: string): string[] {
  const values: string[] = []
  request.forEach((name, value) => {
    if (name === header) values.push(...value.split(','))
  })
  return values.map((value) => value.trim())
}

/** As `clientAddress`, for a new connection. Undefined for a trusted proxy, which speaks for many clients. */
export function connectingAddress(
  trusted_proxies: readonly string[],
): (response: uWS.HttpResponse) => string | undefined {
  const networks = trusted_proxies.map(parseNetwork)
  return (response) => {
    const peer = peerOf(response)
    return peer === undefined || isInside(networks, peer) ? undefined : networkOf(peer)
  }
}

function peerOf(response: uWS.HttpResponse): Address | undefined {
  return parseAddress(Buffer.from(response.getRemoteAddressAsText()).toString())
}

/** Some proxies append the port. */
function parseAddress(text: string): Address | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined
}

function networkOf(address: Address): string {
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0])}/64`
}

function parseNetwork(text: string): Network {
  try {
    return text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), text.includes(':') ? 128 : 32]
  } catch {
    throw new TypeError(`trusted proxy ${JSON.stringify(text)} is not an address or a CIDR such as 10.0.0.0/8`)
  }
}

function isInside(networks: Network[], address: Address | undefined): boolean {
  return (
    address !== undefined &&
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
  )
}
