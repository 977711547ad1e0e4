import type * as uWS from 'uWebSockets.js'
import ipaddr from 'ipaddr.js'

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * Tells whether a request came over TLS as far as we can know: a trusted proxy says so in `X-Forwarded-Proto`.
 * The header counts only from an address inside `trusted_proxies` (CIDRs); from anyone else it is just text.
 * Throws a TypeError for a CIDR that is none.
 */
export function forwardedOverTls(
  trusted_proxies: readonly string[],
): (response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean {
  const networks = trusted_proxies.map(parseNetwork)
  return (response, request) => {
    // The proxy nearest to us wrote the last entry; those before it are what it was told.
    const proto = request.getHeader('x-forwarded-proto').split(',').at(-1)!.trim().toLowerCase()
    return proto === 'https' && isInside(networks, Buffer.from(response.getRemoteAddressAsText()).toString())
  }
}

function parseNetwork(text: string): Network {
  try {
    return text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), text.includes(':') ? 128 : 32]
  } catch {
    throw new TypeError(`trusted proxy ${JSON.stringify(text)} is not an address or a CIDR such as 10.0.0.0/8`)
  }
}

function isInside(networks: Network[], text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}
