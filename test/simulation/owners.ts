/** The true owners of partitions: the tables of the modelled PostgreSQL at this very moment. */
import { partitionOf } from '../../runtime/mod.ts'
import type { Host } from './host.ts'
import type { Outside } from './outside.ts'
import type { Server } from './server.ts'

/**
 * Milliseconds after a promotion in which the tables may know less than the owners. An owner learns of the promotion by
 * its next statement.
 */
const PROMOTED_MS = 5000

export class Owners {
  /** The time of the last promotion of a standby. */
  promoted_at = Number.NEGATIVE_INFINITY
  /** Operations that were applied and are no longer in the database, by address and id. */
  readonly lost = new Set<string>()
  readonly #server: Server
  readonly #find: (text: string) => void

  constructor(server: Server, find: (text: string) => void) {
    this.#server = server
    this.#find = find
  }

  /** Reports a node that answers or calls for an address that another node owns. */
  check(address: string, node: string, host: Host, what: string): void {
    if (host.is_late) {
      // The event happens later than now.
      const at = host.time
      host.world.at(at, () => this.#look(address, node, at, what))
    } else this.#look(address, node, host.time, what)
  }

  #look(address: string, node: string, at: number, what: string): void {
    if (this.isExcused(at)) return
    const { tables } = this.#server
    const partition = partitionOf(address, tables.cluster.get('partitions')!)
    const { owner, epoch } = tables.partitions.get(partition)!
    if (owner !== null && owner !== node) {
      this.#find(`stale owner: ${node} ${what} while ${owner} owned partition ${partition} (epoch ${epoch})`)
    }
  }

  /** A number that changes when the database is started anew. */
  get generation(): number {
    return this.#server.generation
  }

  isExcused(at: number): boolean {
    return at - this.promoted_at < PROMOTED_MS
  }

  /** Notes that the state of an actor has gone back. */
  lose(address: string, before: string, after: string | undefined, outside: Outside): void {
    type Known = { ids: number[]; open?: object }
    const [old, left] = [JSON.parse(before) as Known, JSON.parse(after ?? '{"ids":[]}') as Known]
    const kept = new Set(left.ids)
    for (const id of old.ids) if (!kept.has(id)) this.lost.add(`${address} ${id}`)
    // The knowledge about each of these calls may have changed.
    for (const id of [...old.ids, ...left.ids]) if (address.startsWith('channel/')) outside.excused.add(id)
  }

  stateOf<State>(address: string): State | undefined {
    const json = this.#server.tables.states.get(address)
    return json === undefined ? undefined : (JSON.parse(json) as State)
  }
}
