/**
 * Bounds what one client address may do before anything else is known of it: the web chat's visitors, sockets that open,
 * requests that nobody signs for. Bounds of the node as a whole hold beside these.
 *
 * The address is that of `clientAddress` (`transport.ts`), so an IPv6 address counts as its network of 64 bits. Providers
 * give customers up to 48 bits, so each such network has a larger share of its own.
 */
import { performance } from 'node:perf_hooks'
import { AddressBuckets, type Bucket } from './address_buckets.ts'

/** For each of the people that may share an address (`PARLEY_ADDRESS_PEOPLE`). */
const RATES = {
  /** Connections, of whatever is then spoken over them. Programs that open one for each request need many. */
  tcp: { burst: 25, per_minute: 150 },
  /** Sockets of the web chat that are opened: once for each page that people look at. */
  connection: { burst: 3, per_minute: 3 },
  /** Packets over them, in units of `socket_guard.ts`. */
  frame: { burst: 15, per_minute: 30 },
  /** First messages of visitors who have not written before: each makes a contact, and perhaps a ticket. */
  new_visitor: { burst: 0.3, per_minute: 0.15 },
  message: { burst: 1, per_minute: 1.5 },
  /** Readings of what was said. */
  history: { burst: 2.5, per_minute: 3 },
  /** Reports of what arrived and was read. */
  seen: { burst: 5, per_minute: 10 },
  /** Files of the web chat. */
  page: { burst: 15, per_minute: 15 },
  /** Sockets of consoles that are opened. */
  console_connection: { burst: 3, per_minute: 3 },
  /** Requests refused because they prove nobody: no token, a wrong one. */
  unauthenticated: { burst: 1.5, per_minute: 1.5 },
  /** Requests for what is not there. */
  unknown_path: { burst: 1.5, per_minute: 1.5 },
  /** Beside the bounds of tries that failed (`actors/sign_in`), which hold for all nodes together and are narrower. */
  sign_in: { burst: 1, per_minute: 1 },
  /** Calls in the name of a provider whose signature does not match. */
  hook: { burst: 1.5, per_minute: 1.5 },
  /** Look-ups of channels that are not there, for such calls. Calls of channels that are known here go on. */
  unknown_channel: { burst: 1.5, per_minute: 1.5 },
} satisfies Record<string, Bucket>

/** At once, for each of those people. */
const PLACES = {
  visitor_socket: 2,
  console_socket: 3,
}

/** How much more than one address a network of 48 bits may do. */
const NETWORK_SHARE = 16
const MOST_ADDRESSES = 65_536
const MOST_NETWORKS = 16_384
/** Sockets are closed by whoever is done; there is no telling when. */
const PLACE_RETRY_S = 10

export type AddressRate = keyof typeof RATES
export type AddressPlace = keyof typeof PLACES

/** `retry_after_s`: whole seconds, at least 1. */
export type AddressRefusal = { retry_after_s: number }

export type AddressLimitsOptions = {
  /** That may share one address. Default 200. */
  people?: number | undefined
  most_addresses?: number
  most_networks?: number
  /** Milliseconds. */
  now?: () => number
}

/** Where an address counts: alone, or together with its neighbours. */
type Level = {
  buckets: AddressBuckets
  /** Counts by kind and address; only those that are inside. */
  inside: Map<string, number>
  share: number
}

const kinds = Object.keys(RATES) as AddressRate[]
const numbers = Object.fromEntries(kinds.map((kind, index) => [kind, index])) as Record<AddressRate, number>

export class AddressLimits {
  readonly #people: number
  readonly #alone: Level
  readonly #network: Level
  readonly #now: () => number
  /** How often each kind was refused. */
  readonly refused: Record<AddressRate | AddressPlace, number>

  constructor(options: AddressLimitsOptions = {}) {
    const { people = 200, most_addresses = MOST_ADDRESSES, most_networks = MOST_NETWORKS } = options
    this.#people = people
    this.#alone = this.#level(most_addresses, 1)
    this.#network = this.#level(most_networks, NETWORK_SHARE)
    this.#now = options.now ?? (() => performance.now())
    this.refused = Object.fromEntries(
      [...kinds, ...Object.keys(PLACES)].map((kind) => [kind, 0]),
    ) as typeof this.refused
  }

  /** Addresses that something is remembered of. */
  get tracked(): number {
    return this.#alone.buckets.size
  }

  /** Undefined when the address may do it, which is then counted; else nothing is. `cost`: as many at once. */
  take(address: string, kind: AddressRate, cost = 1): AddressRefusal | undefined {
    const now = this.#now()
    const refusal = this.#look(address, kind, cost, now)
    if (refusal) this.refused[kind]++
    else for (const [level, name] of this.#levels(address)) level.buckets.take(name, numbers[kind], cost, now)
    return refusal
  }

  /**
   * As `take`, but counts nothing: whether work should begin that is counted only when it fails. A refusal is counted as
   * one.
   */
  look(address: string, kind: AddressRate): AddressRefusal | undefined {
    const refusal = this.#look(address, kind, 1, this.#now())
    if (refusal) this.refused[kind]++
    return refusal
  }

  /** Undefined when there is a place, which is then taken until `leave` gives it back, once. */
  enter(address: string, kind: AddressPlace): AddressRefusal | undefined {
    const levels = this.#levels(address)
    const most = PLACES[kind] * this.#people
    if (levels.some(([{ inside, share }, name]) => (inside.get(`${kind} ${name}`) ?? 0) >= most * share)) {
      this.refused[kind]++
      return { retry_after_s: PLACE_RETRY_S }
    }
    for (const [{ inside }, name] of levels) inside.set(`${kind} ${name}`, (inside.get(`${kind} ${name}`) ?? 0) + 1)
    return undefined
  }

  leave(address: string, kind: AddressPlace): void {
    for (const [{ inside }, name] of this.#levels(address)) {
      const key = `${kind} ${name}`
      const others = (inside.get(key) ?? 0) - 1
      if (others > 0) inside.set(key, others)
      else inside.delete(key)
    }
  }

  #look(address: string, kind: AddressRate, cost: number, now: number): AddressRefusal | undefined {
    let wait_ms = 0
    for (const [{ buckets }, name] of this.#levels(address)) {
      wait_ms = Math.max(wait_ms, buckets.wait(name, numbers[kind], cost, now))
    }
    return wait_ms > 0 ? { retry_after_s: Math.ceil(wait_ms / 1000) } : undefined
  }

  #level(most: number, share: number): Level {
    const scale = this.#people * share
    const buckets = kinds.map((kind) => ({
      burst: Math.max(1, RATES[kind].burst * scale),
      per_minute: RATES[kind].per_minute * scale,
    }))
    return { buckets: new AddressBuckets(most, buckets), inside: new Map(), share }
  }

  #levels(address: string): [Level, string][] {
    const network = networkOf(address)
    return network === undefined
      ? [[this.#alone, address]]
      : [
          [this.#alone, address],
          [this.#network, network],
        ]
  }
}

/** The network of 48 bits around one of 64, both as `clientAddress` writes them: the zeros at the end left out. */
function networkOf(address: string): string | undefined {
  if (!address.endsWith('::/64')) return undefined
  const groups = address.slice(0, -'::/64'.length).split(':').slice(0, 3)
  while (groups.at(-1) === '0') groups.pop()
  return `${groups.join(':')}::/48`
}
