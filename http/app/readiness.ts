import type { Node } from '../../runtime/mod.ts'
import { checkSecret, type Database } from '../../storage/mod.ts'
import type { FileStores } from '../media/file_stores.ts'
import type { Readiness } from '../server/probes.ts'
import { kept } from './kept.ts'

type Options = {
  node: Pick<Node, 'readiness'>
  database: Database
  files: FileStores
  /** True once the node was told to stop. */
  isLeaving(): boolean
}

/** An answer is good for so long: anybody may ask, and each time would cost the database. */
const FRESH_MS = 250

/** Tells whether the node can do its work: the runtime, the secret of the database, and whether it is to end. */
export function readinessOf({ node, database, files, isLeaving }: Options): Readiness {
  const look = kept(async () => {
    const { ok, checks } = await node.readiness()
    if (checks.database === 'ok') checks.secret = await secretOf(database)
    const warnings = files.warning === undefined ? [] : [files.warning]
    return { ok: ok && checks.secret === 'ok', checks, warnings }
  }, FRESH_MS)
  return async () => {
    const found = await look()
    if (!isLeaving()) return found
    // From the moment it was told to, whatever was found out before.
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
