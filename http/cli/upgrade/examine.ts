/** The questions of `parley upgrade check`. */
import { type Database, forecastMigrations, sql } from '../../../storage/mod.ts'
import { RELEASE } from '../../app/node/release.ts'
import { stepBetween } from '../../app/node/release_steps.ts'
import { readDoctorContext } from '../doctor/context.ts'
import { type Finding, findings } from '../doctor/finding.ts'
import { checkNats } from '../doctor/nats.ts'
import { MIN_VERSION } from '../doctor/postgres.ts'
import { withOwnPlace } from '../own_place.ts'
import { openTransactionText, type UpgradeCheck } from './upgrade_check.ts'

type RunningNodes = UpgradeCheck['nodes']

/** @throws {CommandFailure} when the database cannot be opened */
export async function examineUpgrade(): Promise<UpgradeCheck> {
  const context = await readDoctorContext()
  return withOwnPlace(async ({ database }) => {
    const nodes = await runningNodes(database)
    const { steps, newer, open_transactions } = await forecastMigrations(database)
    const { ok, warn } = findings('migrations')
    const found = [
      ...nodeFindings(nodes),
      ...databaseFindings(newer),
      await postgresFinding(database),
      ...(await checkNats(context)),
      steps.length === 0
        ? ok('The database has all migrations of this release.')
        : ok(
            `${count(steps.length, 'step')} to go. Nodes may work meanwhile: \`parley migrate\` runs them, or the first start.`,
          ),
      ...stopFinding(steps.map(({ migration }) => migration)),
      ...open_transactions.map((one) => warn(openTransactionText(one))),
      wayBack(newer),
    ]
    return {
      ready: !found.some(({ status }) => status === 'fail'),
      release: RELEASE,
      nodes,
      migrations: steps,
      seconds: Math.round(steps.reduce((sum, { seconds }) => sum + seconds, 0) * 10) / 10,
      disk_bytes: Math.round(steps.reduce((sum, { disk_bytes }) => sum + disk_bytes, 0)),
      findings: found,
    }
  })
}

async function runningNodes(database: Database): Promise<RunningNodes> {
  const [table] = await database.execute<{ there: boolean }>(sql`select to_regclass('node') is not null as there`)
  if (!table?.there) return []
  return database.execute(sql`
    select facts ->> 'release' as release, count(*)::integer as count from node
    where renewed_at > clock_timestamp() - interval '10 seconds' group by 1 order by 1`)
}

function nodeFindings(nodes: RunningNodes): Finding[] {
  const { ok, warn, fail } = findings('nodes')
  if (nodes.length === 0) return [ok('No node works on this database now.')]
  return nodes.map(({ release, count: of }) => {
    const they = `${count(of, 'node')} of ${release ?? 'an unknown release'}`
    if (release === null) return warn(`${they}: make sure that it is the release before ${RELEASE}.`)
    const step = stepBetween(release, RELEASE)
    if (step === 'far') {
      return fail(
        `${they}: ${RELEASE} works only beside the release before it and the next one. Upgrade by way of those between.`,
      )
    }
    if (step === 'same') return ok(`${they}: there is nothing to upgrade, or this is a patch of it.`)
    if (step === 'back') return ok(`${they}: ${RELEASE} is the release before. It works beside them.`)
    return ok(`${they}: ${RELEASE} is the next release, and works beside them.`)
  })
}

function databaseFindings(newer: readonly string[]): Finding[] {
  const { warn } = findings('database')
  if (newer.length === 0) return []
  return [
    warn(`A newer release has migrated it (${newer.join(', ')}). This one works with it if it is the release before.`),
  ]
}

async function postgresFinding(database: Database): Promise<Finding> {
  const { ok, fail } = findings('postgres')
  const [row] = await database.execute<{ version: string }>(sql`select current_setting('server_version') as version`)
  const version = row!.version.split(' ')[0]!
  if (Number.parseInt(version, 10) >= MIN_VERSION) return ok(`PostgreSQL ${version} is new enough.`)
  return fail(`PostgreSQL is version ${version}: upgrade it to ${MIN_VERSION} or newer first.`)
}

/** Nodes from before this migration cannot work beside those after it. */
const NEEDS_STOP = '0021_leases'

function stopFinding(missing: readonly string[]): Finding[] {
  const { warn } = findings('stop')
  if (missing.includes('0001_runtime') || !missing.includes(NEEDS_STOP)) return []
  return [warn(`Stop all nodes before this upgrade: those of before ${NEEDS_STOP} do not work beside those after it.`)]
}

function wayBack(newer: readonly string[]): Finding {
  const { ok } = findings('back')
  if (newer.length > 0) return ok('The database stays as it is.')
  return ok(
    'The way back by one release is open: start its nodes again. Going back further needs a backup, so make one first.',
  )
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
