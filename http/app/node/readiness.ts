import type { Node } from '../../../runtime/mod.ts'
import { checkSecret, type Database } from '../../../storage/mod.ts'
import type { Readiness } from '../../server/probes.ts'
import { cached } from '../metrics/cached_value.ts'

type Options = {
  node: Pick<Node, 'readiness'>
  database: Database
  /** Sentences about the nodes of the cluster. */
  warnings(): string[]
  /** True once the node was told to stop. */
  isLeaving(): boolean
}

/** An answer is cached for this long, because anyone may ask, and each check costs the database. */
const FRESH_MS = 250

/** Checks whether the node can do its work: the runtime, the secret of the database, and whether it is stopping. */
export function readinessOf({ node, database, warnings, isLeaving }: Options): Readiness {
  const look = cached(async () => {
    const { ok, checks, warnings: own } = await node.readiness()
    if (checks.database === 'ok') checks.secret = await secretOf(database)
    return { ok: ok && checks.secret === 'ok', checks, warnings: [...own, ...warnings()] }
  }, FRESH_MS)
  return async () => {
    const found = await look()
    if (!isLeaving()) return found
    // Takes effect at once, whatever the cached checks say.
    return { ...found, ok: false, checks: { ...found.checks, node: 'stopping' } }
  }
}

async function secretOf(database: Database): Promise<string> {
  try {
    await checkSecret(database)
    return 'ok'
  } catch (error) {
    return (error as Error).message
  }
}
