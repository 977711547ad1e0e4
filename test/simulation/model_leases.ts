/** The leases of nodes in the modelled PostgreSQL. */
import type { LeasedNode, NodeFacts, Renewal, Store } from '../../runtime/commit/store.ts'
import type { Line } from './line.ts'
import type { Transaction as ServerTransaction } from './server.ts'

const OLDEST = 8

type Questions = Pick<Store, 'join' | 'renew' | 'endLease' | 'leave' | 'endOthers' | 'members'>

export class ModelLeases implements Questions {
  readonly #line: Line

  constructor(line: Line) {
    this.#line = line
  }

  get #world() {
    return this.#line.host.world
  }

  join(node: string, facts: NodeFacts): Promise<Renewal> {
    return this.#line.call('pool', true, (tx) => {
      const { nodes } = tx.tables
      tx.lock([`node ${node}`], 'update', () => {
        const stamp = tx.tables.next('stamp', this.#world.time)
        tx.set(nodes, node, { stamp, facts })
        this.#moveMembership(tx)
        const others = oldestNodes(tx, 0).filter(({ id }) => id !== node)
        tx.commit(this.#renewal(tx, stamp, undefined, [...others, { id: node, stamp }].slice(0, OLDEST)))
      })
    })
  }

  renew(node: string, facts: NodeFacts, known: number, floor: number, ms: number): Promise<Renewal> {
    const body = (tx: ServerTransaction) => {
      const { nodes } = tx.tables
      const answer = (stamp: number | undefined, before: number | undefined) => {
        const oldest = oldestNodes(tx, 0).map((one) =>
          one.id === node && stamp !== undefined ? { id: node, stamp } : one,
        )
        const listed = oldest.filter((one) => one.stamp >= floor).sort((a, b) => a.stamp - b.stamp)
        tx.commit(this.#renewal(tx, stamp, before, listed.slice(0, OLDEST)))
      }
      const renewed = () => {
        const row = nodes.get(node)
        if (!row || row.stamp < known) {
          answer(undefined, row?.stamp)
          return
        }
        const stamp = tx.tables.next('stamp', this.#world.time)
        tx.set(nodes, node, { stamp, facts })
        if (!isSame(row.facts, facts)) this.#moveMembership(tx)
        answer(stamp, row.stamp)
      }
      if (nodes.has(node)) tx.lock([`node ${node}`], 'update', renewed)
      else renewed()
    }
    return this.#line.call('ask', true, body, { ms })
  }

  endLease(node: string, stamp: number): Promise<boolean> {
    const end = (tx: ServerTransaction) =>
      this.#end(tx, node, stamp, (ended) => {
        if (ended) this.#line.server.leases_ended++
        tx.commit(ended)
      })
    return this.#line.call('pool', true, end)
  }

  async leave(node: string): Promise<void> {
    await this.#line.call('pool', true, (tx) => this.#end(tx, node, undefined, (ended) => tx.commit(ended)))
  }

  async endOthers(node: string): Promise<void> {
    await this.#line.call('pool', true, (tx) => {
      const others = [...tx.tables.nodes.keys()].filter((id) => id !== node)
      const next = (): void => {
        const id = others.shift()
        if (id === undefined) tx.commit(undefined)
        else this.#end(tx, id, undefined, next)
      }
      next()
    })
  }

  members(floor: number): Promise<LeasedNode[]> {
    return this.#line.call('pool', false, (tx) => {
      const rows = [...tx.tables.nodes].map(([id, { stamp, facts }]) => ({ id, stamp, facts }))
      tx.commit(rows.filter(({ stamp }) => stamp >= floor).sort((a, b) => (a.id < b.id ? -1 : 1)))
    })
  }

  #end(tx: ServerTransaction, node: string, stamp: number | undefined, then: (ended: boolean) => void): void {
    const { nodes } = tx.tables
    const seen = nodes.get(node)
    if (!seen || (stamp !== undefined && seen.stamp !== stamp)) {
      then(false)
      return
    }
    tx.lock([`node ${node}`], 'update', () => {
      const row = nodes.get(node)
      if (!row || (stamp !== undefined && row.stamp !== stamp)) {
        then(false)
        return
      }
      tx.set(nodes, node, undefined)
      this.#moveMembership(tx)
      then(true)
    })
  }

  /** Raises a sequence, which shows before the commit and is not undone. */
  #moveMembership(tx: ServerTransaction): void {
    tx.tables.next('change', this.#world.time)
  }

  #renewal(
    tx: ServerTransaction,
    stamp: number | undefined,
    before: number | undefined,
    oldest: { id: string; stamp: number }[],
  ): Renewal {
    const membership = tx.tables.sequences.get('change')?.last ?? 0
    return { stamp, before, membership, oldest, now: this.#line.server.now() }
  }
}

function oldestNodes(tx: ServerTransaction, floor: number): { id: string; stamp: number }[] {
  const all = [...tx.tables.nodes].map(([id, { stamp }]) => ({ id, stamp }))
  return all.filter(({ stamp }) => stamp >= floor).sort((a, b) => a.stamp - b.stamp)
}

/** Compares facts without the backlog: waiting messages of a node do not change the membership. */
function isSame({ backlog: _, ...one }: NodeFacts, { backlog: __, ...other }: NodeFacts): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
