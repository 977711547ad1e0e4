import { Memory } from '../turn/memory.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { type Definitions, loadDefinitions } from './definitions.ts'

/** The definitions in memory; undefined until a message needs them. */
export const knownDefinitions = new Memory<{ definitions: Definitions | undefined }>(() => ({ definitions: undefined }))

/** `fresh`: the definitions in memory are outdated. */
export const definitionReads: ReadKind<{ fresh: boolean }, { definitions: Definitions | undefined }> = {
  keys: () => ({ fresh: false }),
  found: () => ({ definitions: undefined }),
  read(found, { fresh }, { database, state }) {
    const known = knownDefinitions.of(state)
    if (known.definitions && !fresh) {
      found.definitions = known.definitions
      return undefined
    }
    const { project_id, company_id } = state
    return loadDefinitions(database, { project_id, company_id }).then((loaded) => {
      found.definitions = loaded
      known.definitions ??= loaded
    })
  },
}

/**
 * Call this for each message that uses the CRM. Returns the definitions that the turn will use, if they are in memory.
 */
export function wantDefinitions(reads: Reads): Definitions | undefined {
  return reads.of(definitionReads).fresh ? undefined : knownDefinitions.of(reads.state).definitions
}

/** The definitions, in a turn whose reads include them. */
export function definitionsOf({ records }: ProjectTurn): Definitions {
  const { definitions } = records.of(definitionReads)
  if (!definitions) throw new Error('the turn has not read the definitions it needs')
  return definitions
}
