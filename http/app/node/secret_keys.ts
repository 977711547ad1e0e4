import type { ClusterStatus, Log } from '../../../runtime/mod.ts'
import { warningOfKeys } from '../../../storage/mod.ts'

type Node = Pick<ClusterStatus['nodes'][number], 'host' | 'pid' | 'keys'>

/** The keys of `PARLEY_SECRET` that the nodes of a cluster have. A node cannot open what is sealed with a key that it lacks. */
export class SecretKeys {
  readonly #log: Log
  #known: string | undefined

  constructor(log: Log) {
    this.#log = log
  }

  /** Checks the live nodes, and logs the result once when it changes. */
  look(nodes: readonly Node[]): void {
    const before = this.#known
    this.#known = warningOfKeys(nodes)
    if (this.#known !== undefined && this.#known !== before) this.#log.error({}, this.#known)
    else if (before !== undefined && this.#known === undefined)
      this.#log.info({}, 'all nodes have the keys with which others seal')
  }

  /** A sentence while a node lacks a key that another one seals with. It names no machine, because `/ready` is public. */
  get warning(): string | undefined {
    if (this.#known === undefined) return undefined
    return 'Some nodes lack the key of PARLEY_SECRET with which others seal: `parley secrets status` names them.'
  }
}
