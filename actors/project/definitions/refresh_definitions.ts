import type { Refresh } from '../turn/feature.ts'
import { definitionReads, knownDefinitions } from './reads.ts'

/** An operator changed the definitions. */
export const refreshDefinitions: Refresh = {
  forgets(reads) {
    reads.of(definitionReads).fresh = true
  },
  refresh(turn) {
    knownDefinitions.of(turn.state).definitions = turn.records.of(definitionReads).definitions
    turn.live(turn.key, () => ({ type: 'definitions.changed', data: {} }))
  },
}
