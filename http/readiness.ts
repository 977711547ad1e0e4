import type { Node } from '../runtime/mod.ts'
import { checkSecret, type Database } from '../storage/mod.ts'
import type { FileStores } from './file_stores.ts'
import type { Readiness } from './routes/operations.ts'

type Options = {
  node: Pick<Node, 'readiness'>
  database: Database
  files: FileStores
  /** True once the node was told to stop. */
  isLeaving(): boolean
}

/** Tells whether the node can do its work: the runtime, the secret of the database, and whether it is to end. */
export function readinessOf({ node, database, files, isLeaving }: Options): Readiness {
  return async () => {
    const { ok, checks } = await node.readiness()
    if (checks.database === 'ok') checks.secret = await secretOf(database)
    if (isLeaving()) checks.node = 'stopping'
    const warnings = files.warning === undefined ? [] : [files.warning]
    return { ok: ok && !isLeaving() && checks.secret === 'ok', checks, warnings }
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
