import type { ProjectLimits } from '../../../storage/mod.ts'
import { type Config, limitsOf, readConfig } from '../settings/mod.ts'

/** Requests of the demo project per window: enough to look around for a day, and few enough to be seen being used up. */
const GENEROUS = { minute: 600, hour: 10_000, day: 100_000 } as const

/** The limits of the demo project. A limit that the operator has changed from its default applies to the demo, too. */
export function demoLimits(config: Config): ProjectLimits {
  const [set, usual] = [limitsOf(config), limitsOf(readConfig({}))]
  const limit = (window: keyof typeof GENEROUS) => (set[window] === usual[window] ? GENEROUS[window] : set[window])
  return { minute: limit('minute'), hour: limit('hour'), day: limit('day'), ingest_minute: set.ingest_minute }
}
