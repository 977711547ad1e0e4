import type { ClusterStatus, Log } from '../../runtime/mod.ts'

type Store = Pick<ClusterStatus['nodes'][number], 'host' | 'pid' | 'files'>

const REMEDY = 'Set PARLEY_BLOB_URL to one bucket or one shared directory on all of them.'

/** Where the nodes of a cluster keep uploaded files: all of them have to use one store, or they miss each other's files. */
export class FileStores {
  readonly #log: Log
  #known: string | undefined

  constructor(log: Log) {
    this.#log = log
  }

  /** Looks at the living nodes; says it once when what they use changes. */
  look(nodes: readonly Store[]): void {
    const before = this.#known
    this.#known = warningOf(nodes)
    if (this.#known !== undefined && this.#known !== before) this.#log.error({}, this.#known)
    else if (before !== undefined && this.#known === undefined) this.#log.info({}, 'all nodes use one store of files')
  }

  /** A sentence while the nodes use several stores, which names none of them: everybody may read `/ready`. */
  get warning(): string | undefined {
    if (this.#known === undefined) return undefined
    return `The nodes keep uploaded files apart, so that files of one are missing at another. ${REMEDY}`
  }
}

/** Undefined when all use one store. A node that does not say what it uses (it is of an older version) is passed over. */
export function warningOf(nodes: readonly Store[]): string | undefined {
  const stores = new Map<string, string[]>()
  for (const { host, pid, files } of nodes) {
    if (files !== undefined) stores.set(files, [...(stores.get(files) ?? []), `${host}:${pid}`].sort())
  }
  if (stores.size < 2) return undefined
  const listed = [...stores].sort().map(([store, users]) => `${store} (${users.join(', ')})`)
  return `The nodes keep uploaded files in ${stores.size} stores, so that files of one are missing at another: ${listed.join(' and ')}. ${REMEDY}`
}
