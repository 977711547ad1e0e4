/** Faults of a node's settings and surroundings that it can work with, badly. */
import type { Log } from '../../../runtime/mod.ts'
import { compareMigrations, type Database, sql, warningOfPooling } from '../../../storage/mod.ts'
import type { Config } from '../settings/mod.ts'
import { RELEASE } from './release.ts'
import { stepBetween } from './release_steps.ts'

/** A sentence when the address is one that production refuses. */
export function warningOfAddress({
  environment,
  base_url,
}: Pick<Config, 'environment' | 'base_url'>): string | undefined {
  if (environment !== 'production' || !base_url?.startsWith('http:')) return undefined
  return 'PARLEY_BASE_URL begins with http:, which production refuses, so its links do not work: set the https address.'
}

/** A sentence when the chart, or the set of containers, that starts this node is of another release. */
function warningOfDeployment({ deployment_release }: Pick<Config, 'deployment_release'>): string | undefined {
  if (deployment_release === null || deployment_release === RELEASE) return undefined
  return (
    `The chart or the set of containers is of release ${deployment_release}, and this program of ${RELEASE}: ` +
    'use both of one release.'
  )
}

/** A sentence when a newer release has migrated the database. */
function warningOfTables(newer: readonly string[]): string | undefined {
  if (newer.length === 0) return undefined
  return (
    `A newer release has migrated the database (${newer.join(', ')}), and this is ${RELEASE}: it works beside the ` +
    'next release and no later one, so upgrade this node soon.'
  )
}

/** A sentence when other nodes work whose release this one does not work beside. */
function warningOfReleases(releases: readonly string[]): string | undefined {
  const far = releases.filter((release) => stepBetween(release, RELEASE) === 'far')
  if (far.length === 0) return undefined
  return (
    `Nodes of release ${far.join(', ')} work on this database, and this is ${RELEASE}: releases work beside the one ` +
    'before and the next one. Run `parley upgrade check`.'
  )
}

async function releasesOf(database: Database): Promise<string[]> {
  const rows = await database.execute<{ release: string }>(sql`
    select distinct facts ->> 'release' as release from node
    where renewed_at > clock_timestamp() - interval '10 seconds' and facts ->> 'release' is not null`)
  return rows.map(({ release }) => release)
}

/** Sentences for operators, which are logged too. The releases are compared in the log in any case. */
export async function lookAround(config: Config, database: Database, log: Log): Promise<string[]> {
  const { newer } = await compareMigrations(database)
  const nodes = await releasesOf(database)
  const found = [
    warningOfAddress(config),
    await warningOfPooling(database),
    warningOfDeployment(config),
    warningOfTables(newer),
    warningOfReleases(nodes),
  ]
  const warnings = found.filter((warning) => warning !== undefined)
  for (const warning of warnings) log.warn({}, warning)
  const { deployment_release } = config
  const releases = { release: RELEASE, nodes, ...(deployment_release !== null && { deployment_release }) }
  log.info({ ...releases, newer_migrations: newer }, 'the releases of this node, the others and the database')
  return warnings
}
