import type { Refresh } from '../turn/feature.ts'
import { definitionReads, knownDefinitions } from './reads.ts'

/** An operator changed the definitions. */
export const refreshDefinitions: Refresh = {
  forgets(reads) {
    reads.of(definitionReads).fresh = true
  },
  refresh({ state, records }) {
    knownDefinitions.of(state).definitions = records.of(definitionReads).definitions
  },
}
