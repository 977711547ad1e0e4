import type { ActorKind } from '../../../runtime/mod.ts'
import type { Database } from '../../../storage/mod.ts'

/** Further passes make no difference to a node that joins (docs/benchmarks.md, failover). */
const PASSES = 3

const NOBODY = '0'.repeat(24)

/**
 * Loads an actor of each kind that does not exist. A node that joins gets a share of all actors at once, and their callers
 * wait: this opens its connections before, and has the code of loading compiled.
 */
export async function warmUp(kinds: readonly ActorKind[], database: Database): Promise<void> {
  for (let pass = 0; pass < PASSES; pass++) await Promise.all(kinds.map((kind) => kind.load?.([NOBODY], database)))
}
