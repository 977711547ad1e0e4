import { inTransaction, type Migration } from './step.ts'

/** A channel has a list of what its provider's webhook told and Parley has no place for. */
export const ignoredCallbacks: Migration = {
  name: '0071_ignored_callbacks',
  steps: [inTransaction('alter table channel add column ignored_callbacks json')],
}
