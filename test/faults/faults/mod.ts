/** All faults of a cluster, by name. Each fault ends with everything put back. */
import type { Fault } from '../scene.ts'
import { answers } from './answers.ts'
import { brokers } from './brokers.ts'
import { clocks } from './clocks.ts'
import { locks } from './locks.ts'
import { processes } from './processes.ts'
import { snapshot } from './snapshot.ts'
import { standbys } from './standbys.ts'
import { versions } from './versions.ts'

export const faults: Record<string, Fault> = {
  ...processes,
  ...answers,
  ...standbys,
  ...clocks,
  ...snapshot,
  ...locks,
  ...versions,
  ...brokers,
}
