import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/**
 * The addresses to which the server may connect on behalf of a user: those of the public Internet, and those inside the
 * networks that the operator opened.
 *
 * In IPv6 only 2000::/3 is public. Everything outside it (loopback, link-local, unique local, multicast, mapped,
 * compatible, NAT64) is refused as a whole, so that unknown encodings are refused as well.
 */
export class Networks {
  readonly #allowed: Network[]

  /** `allowed` holds CIDRs or single addresses. Throws on one that is neither. */
  constructor(allowed: readonly string[] = []) {
    this.#allowed = allowed.map(parseNetwork)
  }

  /** True when a connection to this literal address is allowed. False for other texts. */
  permits(address: string): boolean {
    return this.#judge(address, isPublic)
  }

  /** True when the literal address lies in a network that the operator opened. */
  allows(address: string): boolean {
    return this.#judge(address, () => false)
  }

  #judge(text: string, otherwise: (address: Address) => boolean): boolean {
    // A zone id picks an interface of this machine, and ipaddr.js reads the compatible form `::1.2.3.4` as a mapped one.
    if (isIP(text) === 0 || text.includes('%') || /^::\d+\./.test(text)) return false
    const address = ipaddr.parse(text)
    return this.#allowed.some((network) => contains(network, address)) || otherwise(address)
  }
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function contains([network, bits]: Network, address: Address): boolean {
  if (network.kind() === address.kind()) return address.match(network as ipaddr.IPv4 & ipaddr.IPv6, bits)
  // The kernel connects a mapped address as the IPv4 address inside it.
  return (
    address instanceof ipaddr.IPv6 &&
    address.isIPv4MappedAddress() &&
    contains([network, bits], address.toIPv4Address())
  )
}

/** Azure's host serves its virtual machines at this address, which looks public. */
const WIRE_SERVER = '168.63.129.16'
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || address.toString() === WIRE_SERVER) return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_IPV6 as [ipaddr.IPv4 & ipaddr.IPv6, number])
}
