import type { ClusterStatus, Log } from '../../runtime/mod.ts'

type Store = Pick<ClusterStatus['nodes'][number], 'host' | 'pid' | 'files'>

const REMEDY = 'Set PARLEY_BLOB_URL to one bucket or one shared directory on all of them.'

/**
 * The stores of uploaded files that the nodes of a cluster use. All nodes must use one store, or they miss each other's
 * files.
 */
export class FileStores {
  readonly #log: Log
  #known: string | undefined

  constructor(log: Log) {
    this.#log = log
  }

  /** Checks the live nodes, and logs the result once when it changes. */
  look(nodes: readonly Store[]): void {
    const before = this.#known
    this.#known = warningOf(nodes)
    if (this.#known !== undefined && this.#known !== before) this.#log.error({}, this.#known)
    else if (before !== undefined && this.#known === undefined)
      this.#log.info({}, 'all nodes use one store of uploaded files')
  }

  /** A sentence while the nodes use several stores. It names no store, because `/ready` is public. */
  get warning(): string | undefined {
    if (this.#known === undefined) return undefined
    return `The nodes keep uploaded files apart, so that files of one are missing at another. ${REMEDY}`
  }
}

/** Undefined when all nodes use one store. Nodes of an older version, which do not report their store, are ignored. */
export function warningOf(nodes: readonly Store[]): string | undefined {
  const stores = new Map<string, string[]>()
  for (const { host, pid, files } of nodes) {
    if (files !== undefined) stores.set(files, [...(stores.get(files) ?? []), `${host}:${pid}`].sort())
  }
  if (stores.size < 2) return undefined
  const listed = [...stores].sort().map(([store, users]) => `${store} (${users.join(', ')})`)
  return `The nodes keep uploaded files in ${stores.size} stores, so that files of one are missing at another: ${listed.join(' and ')}. ${REMEDY}`
}
