/**
 * Addresses: `kind/key`. The partition of an address is the unit of ownership, of the log and of failover. The hash is
 * part of the stored layout: changing it needs a new cluster.
 */

/** The type parameter is the protocol of the actor behind the address; it exists in types only. */
export type Address<Protocol = unknown> = string & { readonly __protocol?: Protocol }

const SHAPE = /^[a-z_]{1,32}\/[A-Za-z0-9_.:-]{1,128}$/

/** Throws a TypeError when the text is not an address, because addresses are put into JSON and subjects unescaped. */
export function checkAddress(address: string): void {
  if (!SHAPE.test(address)) throw new TypeError(`not an address: ${JSON.stringify(address)}`)
}

export function kindOf(address: string): string {
  return address.slice(0, address.indexOf('/'))
}

export function keyOf(address: string): string {
  return address.slice(address.indexOf('/') + 1)
}

/** FNV-1a over the UTF-16 units, finished as in MurmurHash3 so that near texts spread. An unsigned 32-bit number. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export function partitionOf(address: string, partitions: number): number {
  return hashOf(address) % partitions
}
