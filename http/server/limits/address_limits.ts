/**
 * Rate limits for one client address, checked before anything else is known of the request: the web chat's visitors,
 * sockets that open, unauthenticated requests. Limits of the whole node hold beside these.
 *
 * The address is that of `clientAddress` (`transport.ts`), so an IPv6 address counts as its network of 64 bits.
 * Providers give customers up to 48 bits, so each such network has a larger share of its own.
 */
import { performance } from 'node:perf_hooks'
import { AddressBuckets, type Bucket } from './address_buckets.ts'

/** Rates for each of the people that may share an address (`PARLEY_ADDRESS_PEOPLE`). */
const RATES = {
  /** TCP connections of any protocol. Programs that open one for each request need many. */
  tcp: { burst: 25, per_minute: 150 },
  /** Sockets of the web chat that are opened: one for each page view. */
  connection: { burst: 3, per_minute: 3 },
  /** Packets over these sockets, in units of `socket_guard.ts`. */
  frame: { burst: 15, per_minute: 30 },
  /** First messages of new visitors: each creates a contact, and perhaps a ticket. */
  new_visitor: { burst: 0.3, per_minute: 0.15 },
  message: { burst: 1, per_minute: 1.5 },
  /** Reads of the conversation's history. */
  history: { burst: 2.5, per_minute: 3 },
  /** Reports of delivered and read messages. */
  seen: { burst: 5, per_minute: 10 },
  /** MiB that visitors announce to upload. A file is refused when its address has no room for all of it. */
  upload_mib: { burst: 0.5, per_minute: 0.1 },
  /** Files of the web chat, and pages of the documentation. */
  page: { burst: 15, per_minute: 15 },
  /** Descriptions of the API that are sent, in units of 100 KB: the kernel holds them for a client that does not read. */
  description: { burst: 3, per_minute: 3 },
  /** Sockets of consoles that are opened. */
  console_connection: { burst: 3, per_minute: 3 },
  /** Requests refused for a missing or wrong token. */
  unauthenticated: { burst: 1.5, per_minute: 1.5 },
  /** Requests for unknown paths. */
  unknown_path: { burst: 1.5, per_minute: 1.5 },
  /** Sign-ins. Beside the limits on failed attempts (`actors/sign_in`), which hold for all nodes together and are narrower. */
  sign_in: { burst: 1, per_minute: 1 },
  /** Provider webhooks, and reports of leaked tokens, whose signature does not match. */
  hook: { burst: 1.5, per_minute: 1.5 },
  /** Look-ups of unknown channels for such webhooks. Webhooks of channels known here go on. */
  unknown_channel: { burst: 1.5, per_minute: 1.5 },
} satisfies Record<string, Bucket>

/** Concurrent places for each of those people. */
const PLACES = {
  visitor_socket: 2,
  visitor_upload: 0.1,
  console_socket: 3,
}

/** A network of 48 bits may do this many times as much as one address. */
const NETWORK_SHARE = 16
const MAX_ADDRESSES = 65_536
const MAX_NETWORKS = 16_384
/** The client decides when its socket closes, so the wait cannot be predicted. */
const PLACE_RETRY_S = 10

export type AddressRate = keyof typeof RATES
export type AddressPlace = keyof typeof PLACES

/** `retry_after_s`: whole seconds, at least 1. */
export type AddressRefusal = { retry_after_s: number }

export type AddressLimitsOptions = {
  /** People that may share one address. Default 200. */
  people?: number | undefined
  max_addresses?: number
  max_networks?: number
  /** Milliseconds. */
  now?: () => number
}

/** A level at which an address counts: alone, or together with its neighbours. */
type Level = {
  buckets: AddressBuckets
  /** Places taken, by kind and address; zero counts are not kept. */
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
  /** Number of refusals of each kind. */
  readonly refused: Record<AddressRate | AddressPlace, number>

  constructor(options: AddressLimitsOptions = {}) {
    const { people = 200, max_addresses = MAX_ADDRESSES, max_networks = MAX_NETWORKS } = options
    this.#people = people
    this.#alone = this.#level(max_addresses, 1)
    this.#network = this.#level(max_networks, NETWORK_SHARE)
    this.#now = options.now ?? (() => performance.now())
    this.refused = Object.fromEntries(
      [...kinds, ...Object.keys(PLACES)].map((kind) => [kind, 0]),
    ) as typeof this.refused
  }

  /** Number of addresses that are tracked. */
  get tracked(): number {
    return this.#alone.buckets.size
  }

  /** Counts `cost` units of the kind. Returns undefined when the address may do it; a refusal counts nothing. */
  take(address: string, kind: AddressRate, cost = 1): AddressRefusal | undefined {
    const now = this.#now()
    const refusal = this.#look(address, kind, cost, now)
    if (refusal) this.refused[kind]++
    else for (const [level, name] of this.#levels(address)) level.buckets.take(name, numbers[kind], cost, now)
    return refusal
  }

  /** As `take`, but counts nothing: for checks before work that counts only when it fails. A refusal is counted as one. */
  look(address: string, kind: AddressRate): AddressRefusal | undefined {
    const refusal = this.#look(address, kind, 1, this.#now())
    if (refusal) this.refused[kind]++
    return refusal
  }

  /** Takes a place. Returns undefined when there was one; `leave` gives it back, once. */
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

/** The network of 48 bits around one of 64, both as `clientAddress` writes them: without the zeros at the end. */
function networkOf(address: string): string | undefined {
  if (!address.endsWith('::/64')) return undefined
  const groups = address.slice(0, -'::/64'.length).split(':').slice(0, 3)
  while (groups.at(-1) === '0') groups.pop()
  return `${groups.join(':')}::/48`
}
