/** The commands for dead letters, with a running Parley. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { OPERATOR_KEY, startWorld } from '../e2e/fixture.ts'
import { type Finished, run, runOnTerminal } from './command.ts'

// A node to itself, because dead letters are listed for all tenants.
const world = await startWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }

const REMARK = 'Replayed means told again. List once more: what failed again has a new id.\n'
const letters = (...args: string[]): Promise<Finished> => run(['dead-letters', ...args], env)
const onTerminal = (answer: string | undefined, ...args: string[]) =>
  runOnTerminal(['dead-letters', ...args], env, answer)

/** Parks letters whose messages mean nothing to their actors. Returns their ids. */
async function park(count: number, { type = 'attempted', error = 'Error: old', secret = '' } = {}): Promise<string[]> {
  const message = JSON.stringify({ type, attempt: 0, outcome: { kind: 'failed', error: '\u009b2J' }, secret })
  const rows = await database.execute<{ id: string }>(
    `insert into dead_letter (partition, address, sender, message, error)
     select 0, 'mail/none', 'project/one', ?::json, ? from generate_series(1, ?) returning id::text`,
    [message, error, count],
  )
  return rows.map(({ id }) => id)
}

t.test('an empty list says so', async (t) => {
  t.match(await letters('list'), { code: 0, out: '', err: 'There are no dead letters.\n' })
  t.match(await letters('list', '--type', 'x'), { code: 0, out: '', err: 'No dead letter is like that.\n' })
  t.match(await letters('list', '--json'), { code: 0, out: '[]\n', err: '' })
  t.match(await letters('replay', '--all'), { code: 0, out: '', err: 'There are no dead letters.\n' })
  t.match(await letters('drop', '--all', '--json'), { code: 0, out: '{\n  "dropped": 0\n}\n', err: '' })
  const gone = await letters('show', '17')
  t.match(gone, { code: 1, out: '', err: /`parley dead-letters list` shows which there are \(NOT_FOUND\)\.\n$/ })
})

t.test('dead letters are listed, shown, replayed and dropped', async (t) => {
  const [one, two] = await park(2, { error: 'Error: broken\n    at here (there.ts:1:2)', secret: 'hidden' })
  const list = await letters('list')
  t.match(list, { code: 0, err: '' })
  t.match(list.out, /^id +parked \(UTC\) +for +type +error\n/)
  t.match(list.out, new RegExp(`^${two} +\\d{4}-\\d\\d-\\d\\d [\\d:]{8} +mail/none +attempted +Error: broken$`, 'm'))
  t.same(
    JSON.parse((await letters('list', '--json')).out).map(({ id }: { id: string }) => id),
    [two, one],
  )
  const show = await letters('show', one!)
  t.match(
    show.out,
    new RegExp(`^dead letter +${one}\\nparked .*\\nfor +mail/none \\(partition 0\\)\\ntype +attempted\\n`),
  )
  t.match(show.out, /^ {4}at here \(there\.ts:1:2\)$/m)
  t.match(show.out, /^ {2}"secret": "\[redacted\]"$/m)
  t.notMatch(show.out, '\u009b')
  t.match(JSON.parse((await letters('show', one!, '--json')).out), { id: one, message: { attempt: 0 } })

  t.match(await letters('replay', one!), { code: 0, out: '1 replayed.\n', err: REMARK })
  const again = await letters('replay', one!, two!)
  t.match(again, {
    code: 1,
    out: '1 replayed.\n',
    err: `${REMARK}Dead letter ${one} is not there: replayed, dropped or forgotten before.\n`,
  })
  const [three] = await park(1)
  const unasked = await letters('drop', three!)
  t.match(unasked, { code: 1, out: '', err: /^Nothing is dropped: there is no terminal to ask on; --yes does it/ })
  t.match(await onTerminal('n', 'drop', three!), {
    code: 1,
    err: /Drop for good: 1 dead letter\? \[y\/N\] .*Nothing is dropped\.\n$/s,
  })
  t.match(await onTerminal('y', 'drop', three!), { code: 0, out: '1 dropped.\n' })
})

t.test('many letters are replayed and dropped by filter, without those parked after the request', async (t) => {
  await park(1500, { type: 'attempted' })
  await park(30, { type: 'retry', error: 'TypeError: other' })
  t.match(await letters('list', '--limit', '3'), {
    code: 0,
    err: '1527 more: a greater --limit shows them.\n',
  })
  t.match(await letters('list', '--limit', '1529'), { code: 0, err: '1 more: a greater --limit shows it.\n' })
  const all = await letters('list', '--json', '--limit', '2000')
  t.equal(JSON.parse(all.out).length, 1530)
  t.match(await letters('replay', '--type', 'attempted'), { code: 1, err: /^Nothing is replayed: / })
  t.match(await onTerminal(undefined, 'replay', '--type', 'attempted'), { code: 1, err: /Replay: 1500 dead letters\?/ })
  t.match(await letters('replay', '--type', 'attempted', '--yes'), {
    code: 0,
    out: '1500 replayed.\n',
    err: /^(\d+ replayed, \d+ remain\.\n)+Replayed means told again\. .*\n$/,
  })
  t.match(await letters('drop', '--error', 'OTHER', '--yes', '--json'), { code: 0, out: '{\n  "dropped": 30\n}\n' })
  t.match(await letters('list', '--json'), { code: 0, out: '[]\n' })
})

t.test('wrong usage ends with 2 and a sentence', async (t) => {
  t.match(await letters('replay'), {
    code: 2,
    err: 'Which ones? Give ids, options such as --type and --since, or --all.\n',
  })
  t.match(await letters('drop', '17', '--all'), { code: 2, err: /^Give either ids, or options/ })
  t.match(await letters('drop', '--all', '--kind', 'mail'), { code: 2, err: /^Give either ids, or options/ })
  t.match(await letters('show', 'x'), { code: 2, err: /must be the number of a dead letter/ })
  t.match(await letters('list', '--since', '1h', '--until', '2h'), {
    code: 2,
    err: '--until must be later than --since.\n',
  })
})
