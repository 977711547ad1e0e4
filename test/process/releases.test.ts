/** The releases of a node, of what started it, of the other nodes and of the database are compared at the start. */
import t from 'tap'
import { RELEASE } from '../../http/app/node/release.ts'
import { lookAround } from '../../http/app/node/surroundings.ts'
import { readConfig } from '../../http/app/settings/mod.ts'
import { silentLog } from '../../runtime/mod.ts'
import { type Owner, testDatabase } from '../support/mod.ts'

async function start(t: Owner, env: Record<string, string> = {}, statements: string[] = []) {
  const { database } = await testDatabase(t)
  for (const statement of statements) await database.execute(statement)
  const lines: { fields: object; text: string }[] = []
  const note = (fields: object, text: string) => void lines.push({ fields, text })
  const warnings = await lookAround(readConfig(env), database, { ...silentLog, info: note, warn: note })
  return { warnings, lines }
}

const node = (release: string) => `select * from lease_join('${'0'.repeat(24)}', '{"release":"${release}"}', 4)`

t.test('a start where all belongs together has a line and no warning', async (t) => {
  const { warnings, lines } = await start(t, { PARLEY_DEPLOYMENT_RELEASE: RELEASE }, [node(RELEASE)])
  t.strictSame(warnings, [])
  t.strictSame(lines, [
    {
      fields: { release: RELEASE, nodes: [RELEASE], deployment_release: RELEASE, newer_migrations: [] },
      text: 'the releases of this node, the others and the database',
    },
  ])
})

t.test('a chart of another release, a newer database and nodes that are too far each have a sentence', async (t) => {
  const { warnings, lines } = await start(t, { PARLEY_DEPLOYMENT_RELEASE: '0.0.9' }, [
    node('7.0.0'),
    `insert into migration (name) values ('9999_newer')`,
  ])
  t.match(warnings, [
    `The chart or the set of containers is of release 0.0.9, and this program of ${RELEASE}: use both of one release.`,
    /^A newer release has migrated the database \(9999_newer\), and this is .*: .* so upgrade this node soon\.$/,
    /^Nodes of release 7\.0\.0 work on this database, and this is .* Run `parley upgrade check`\.$/,
  ])
  t.strictSame(
    lines.slice(0, 3).map(({ text }) => text),
    warnings,
    'the log has them too',
  )
})
