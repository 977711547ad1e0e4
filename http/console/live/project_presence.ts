/**
 * Agents at the tickets of one project, on all nodes. Each node knows its own sockets, and tells the other nodes about
 * them; nothing is stored.
 *
 *  A1 A socket that ends takes its presence along. A node that ends without a word is forgotten after `BELIEVED_MS`.
 *  A2 A change reaches all watchers of all nodes; a lost message is made up for by the next repetition.
 *  A3 Changes of a ticket within a moment are told once, and more watchers mean fewer messages a second.
 *  A4 A socket is at one ticket. Coming to another one leaves the former, even when the leaving was not heard.
 */

export type PresenceState = 'viewing' | 'replying'
/** `away`, of pages of earlier releases, is `gone`. */
export type SaidState = PresenceState | 'away' | 'gone'
export type Present = { user_id: string; full_name: string; state: PresenceState }

/** A node's report of its own sockets. A ticket without users has none left. `asks`: the others repeat theirs. */
type Said = { node: string; asks?: true; tickets: [ticket_id: string, users: Present[]][] }

/** A node repeats what it has this often. */
export const REPEATED_MS = 3000
/** A ticket of another node is forgotten after this time without a repetition. */
const BELIEVED_MS = 10_000
const COLLECTED_MS = 100
/** Messages to sockets in a second. */
const MAX_TOLD = 20_000
/** Tickets of a project with agents of this node. */
const MAX_TICKETS = 2000
/** Tickets in one message to the other nodes. */
const MAX_SAID = 500

const RANK: Record<PresenceState, number> = { replying: 1, viewing: 0 }

export type PresenceOptions = {
  node: string
  /** To the other nodes. */
  say(text: string): void
  /** To the watchers of this node. */
  show(ticket_id: string, users: Present[]): void
  watchers(): number
  /** Milliseconds that never go back. */
  now?: () => number
}

/** In place of what watchers were shown: some know other things than others. */
const UNSURE = 'unsure'

type User = { user_id: string; full_name: string }
type Own = Map<string, User & { state: PresenceState }>
type Heard = { users: Present[]; until: number }

export class ProjectPresence {
  readonly #options: Required<PresenceOptions>
  /** This node's sockets, by ticket and socket. */
  readonly #own = new Map<string, Own>()
  readonly #ticket_of = new Map<string, string>()
  /** Reports by ticket and node. */
  readonly #heard = new Map<string, Map<string, Heard>>()
  /** As the watchers were told. */
  readonly #texts = new Map<string, string>()
  #unsaid = new Set<string>()
  #unshown = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: PresenceOptions) {
    this.#options = { now: () => performance.now(), ...options }
  }

  /** Asks the other nodes. */
  open(): void {
    this.#say([], true)
  }

  /** Returns false when the node has agents at too many tickets; the socket is at none then. */
  set(socket_id: string, { user_id, full_name }: User, ticket_id: string, state: SaidState): boolean {
    const is_here = this.#ticket_of.get(socket_id) === ticket_id
    if (state === 'gone' || state === 'away') {
      if (is_here) this.leave(socket_id)
      return true
    }
    if (!is_here) this.leave(socket_id)
    if (!this.#own.has(ticket_id) && this.#own.size >= MAX_TICKETS) return false
    this.#ticket_of.set(socket_id, ticket_id)
    const own = this.#own.get(ticket_id) ?? new Map()
    this.#own.set(ticket_id, own.set(socket_id, { user_id, full_name, state }))
    this.#changed(ticket_id, true)
    return true
  }

  /** The socket has ended, or watches the project no more. */
  leave(socket_id: string): void {
    const ticket_id = this.#ticket_of.get(socket_id)
    if (ticket_id === undefined) return
    this.#ticket_of.delete(socket_id)
    const own = this.#own.get(ticket_id)
    own?.delete(socket_id)
    if (own?.size === 0) this.#own.delete(ticket_id)
    this.#changed(ticket_id, true)
  }

  /** A message of any node. */
  hear(text: string): void {
    const { node, asks, tickets } = JSON.parse(text) as Said
    if (node === this.#options.node) return
    const until = this.#options.now() + BELIEVED_MS
    for (const [ticket_id, said] of tickets) {
      // A node of an earlier release reports those who are away.
      const users = said.filter(({ state }) => state in RANK)
      const nodes = this.#heard.get(ticket_id) ?? new Map<string, Heard>()
      if (users.length > 0) nodes.set(node, { users, until })
      else nodes.delete(node)
      if (nodes.size > 0) this.#heard.set(ticket_id, nodes)
      else this.#heard.delete(ticket_id)
      this.#changed(ticket_id, false)
    }
    if (asks) this.repeat()
  }

  /** Tells the other nodes everything again, and forgets nodes that have not done so. */
  repeat(): void {
    const now = this.#options.now()
    for (const [ticket_id, nodes] of this.#heard) {
      for (const [node, { until }] of nodes) if (until < now) nodes.delete(node)
      if (nodes.size === 0) this.#heard.delete(ticket_id)
      this.#changed(ticket_id, false)
    }
    this.#say([...this.#own.keys()])
  }

  /** Everybody at the tickets of the project, for a new watcher. */
  all(): [ticket_id: string, users: Present[]][] {
    const tickets = new Set([...this.#own.keys(), ...this.#heard.keys()])
    // The new watcher knows more of these than the others do, so the next word goes to all in any case.
    for (const ticket_id of this.#unshown) this.#texts.set(ticket_id, UNSURE)
    return [...tickets].map((ticket_id) => [ticket_id, this.#usersOf(ticket_id)])
  }

  /** The last watcher has gone. */
  close(): void {
    clearTimeout(this.#timer)
    this.#say([...this.#unsaid])
  }

  #changed(ticket_id: string, is_own: boolean): void {
    if (is_own) this.#unsaid.add(ticket_id)
    this.#unshown.add(ticket_id)
    this.#timer ??= setTimeout(() => this.#tell(), this.#wait()).unref()
  }

  #wait(): number {
    return Math.max(COLLECTED_MS, (this.#options.watchers() / MAX_TOLD) * 1000)
  }

  #tell(): void {
    this.#timer = undefined
    const unsaid = [...this.#unsaid]
    this.#unsaid = new Set()
    this.#say(unsaid)
    let room = Math.max(1, Math.floor((MAX_TOLD * this.#wait()) / 1000 / Math.max(1, this.#options.watchers())))
    for (const ticket_id of this.#unshown) {
      if (room === 0) break
      this.#unshown.delete(ticket_id)
      if (this.#show(ticket_id)) room--
    }
    if (this.#unshown.size > 0) this.#timer = setTimeout(() => this.#tell(), this.#wait()).unref()
  }

  /** Returns false when the watchers know it. */
  #show(ticket_id: string): boolean {
    const users = this.#usersOf(ticket_id)
    const text = users.length > 0 ? JSON.stringify(users) : undefined
    if (text === this.#texts.get(ticket_id)) return false
    if (text === undefined) this.#texts.delete(ticket_id)
    else this.#texts.set(ticket_id, text)
    this.#options.show(ticket_id, users)
    return true
  }

  #usersOf(ticket_id: string): Present[] {
    const heard = [...(this.#heard.get(ticket_id)?.values() ?? [])].flatMap(({ users }) => users)
    return strongest([...heard, ...(this.#own.get(ticket_id)?.values() ?? [])])
  }

  #say(ticket_ids: string[], asks = false): void {
    const { node, say } = this.#options
    for (let at = 0; at === 0 || at < ticket_ids.length; at += MAX_SAID) {
      const tickets: Said['tickets'] = ticket_ids
        .slice(at, at + MAX_SAID)
        .map((ticket_id) => [ticket_id, strongest(this.#own.get(ticket_id)?.values() ?? [])])
      if (tickets.length > 0 || asks) say(JSON.stringify({ node, ...(asks && { asks }), tickets } satisfies Said))
    }
  }
}

/** Each user once, in the state that matters most to others. */
function strongest(all: Iterable<Present>): Present[] {
  const users = new Map<string, Present>()
  for (const one of all) {
    const known = users.get(one.user_id)
    if (!known || RANK[one.state] > RANK[known.state]) users.set(one.user_id, one)
  }
  return [...users.values()].sort((one, other) => (one.user_id < other.user_id ? -1 : 1))
}
