/** Faults of a node's settings and surroundings that it can work with, badly. */
import type { Log } from '../../../runtime/mod.ts'
import { type Database, warningOfPooling } from '../../../storage/mod.ts'
import type { Config } from '../settings/mod.ts'

/** A sentence when the address is one that production refuses. */
export function warningOfAddress({
  environment,
  base_url,
}: Pick<Config, 'environment' | 'base_url'>): string | undefined {
  if (environment !== 'production' || !base_url?.startsWith('http:')) return undefined
  return 'PARLEY_BASE_URL begins with http:, which production refuses, so its links do not work: set the https address.'
}

/** Sentences for operators, which are logged too. */
export async function lookAround(config: Config, database: Database, log: Log): Promise<string[]> {
  const found = [warningOfAddress(config), await warningOfPooling(database)]
  const warnings = found.filter((warning) => warning !== undefined)
  for (const warning of warnings) log.warn({}, warning)
  return warnings
}
