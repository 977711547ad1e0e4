/** Present activity of the cluster: the operator API, and `parley top`. */
import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { run, runOnScreen, start } from '../cli/command.ts'
import { eventually, type Json } from './client.ts'
import { startCluster } from './cluster.ts'
import { made, makeTenant, OPERATOR_KEY } from './fixture.ts'

const { nodes, world, config } = await startCluster(t)
const busy = await makeTenant(world)
const quiet = await makeTenant(world)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
const activity = (): Promise<Json> => made(nodes[1]!.operator('GET', 'activity'))
const sum = (all: Json, figure: string): number =>
  all.nodes.reduce((sum: number, { figures }: Json) => sum + figures[figure], 0)

t.test('every node reports, and counters grow with the work', async (t) => {
  const before = await activity()
  t.same(before.nodes.map(({ id }: Json) => id).sort(), nodes.map(({ id }) => id).sort())
  t.same(before.partitions, { total: config.partitions, without_owner: 0 })
  for (const { figures } of before.nodes) {
    for (const [name, value] of Object.entries(figures)) t.ok(Number.isFinite(value), name)
    t.ok(figures.memory_bytes > 10_000_000)
  }
  await busy.subscribe('top', ['whatsapp.message.sent'])
  for (let n = 0; n < 10; n++) {
    const { id } = await made(busy.send('+15550180000'))
    await busy.message(id, 'read')
  }
  await made(quiet.api('GET', 'contacts'))
  const after = await eventually('all is counted', async () => {
    const after = await activity()
    return sum(after, 'webhooks') >= sum(before, 'webhooks') + 10 && after
  })
  t.ok(sum(after, 'requests') >= sum(before, 'requests') + 21)
  t.ok(sum(after, 'sends') >= sum(before, 'sends') + 10)
  t.ok(sum(after, 'turns') > sum(before, 'turns') && sum(after, 'commits') > sum(before, 'commits'))
  t.equal(sum(after, 'request_errors'), sum(before, 'request_errors'))
  const [hottest] = after.hot
  t.match(hottest, { project_id: busy.project_id, project: /^Project /, company: /^Company / })
  t.ok(hottest.per_second > 1 && hottest.share > 0.5, JSON.stringify(after.hot))
  t.ok(after.hot.length < 3 || after.hot.at(-1).per_second <= hottest.per_second)
})

t.test('what waits is counted', async (t) => {
  world.sink.answer('away', () => 500)
  await quiet.subscribe('away', ['crm.contact.created'])
  await made(quiet.api('POST', 'contacts', { channel_type: 'telegram', user_id: 'waiting' }))
  const { lags } = await eventually('a delivery waits', async () => {
    const all = await activity()
    return (all.lags.webhooks > 0 || world.sink.calls('away').length >= 5) && all
  })
  for (const [name, value] of Object.entries(lags)) t.ok((value as number) >= 0, name)
})

t.test('parley top shows it once, as text and as JSON', async (t) => {
  const [text, json] = await Promise.all([
    run(['top', '--once', '--every', '0.3'], env),
    run(['top', '--once', '--every', '0.3', '--json'], env),
  ])
  t.match(text, { code: 0, err: '' })
  t.match(text.out, new RegExp(`^parley top {2}${world.base_url} {2}\\d\\d:\\d\\d:\\d\\d UTC$`, 'm'))
  t.match(text.out, `2 nodes, ${config.partitions} partitions, all owned\n`)
  t.match(text.out, /^requests [\d,.]+\/s +sends [\d.]+\/s +webhooks /m)
  t.match(text.out, /^waiting: messages \d+ +sends \d+ /m)
  for (const { id } of nodes) t.match(text.out, new RegExp(`^${id} +ok .* \\d+ MB .* \\d`, 'm'))
  const sample = JSON.parse(json.out)
  t.ok(sample.seconds > 0.2 && sample.rates.requests > 0)
  t.equal(sample.nodes.length, 2)
})

t.test('parley top goes on until it is ended', async (t) => {
  const screen = await runOnScreen(['top', '--every', '0.1'], env, /(?:parley top.*){2}/s, 'q')
  t.equal(screen.code, 0)
  t.ok(screen.out.startsWith('\x1b[?1049h') && screen.out.endsWith('\x1b[?1049l'), 'the screen is as before')
  const narrow = await runOnScreen(['top', '--every', '0.1'], env, /UTC/, 'q', { columns: 50, rows: 9 })
  t.match(narrow.out, /\nnode +state +process +up\b.*\r\n|… and \d+ lines more/)
  const lines = stripVTControlCharacters(narrow.out).split('\r\n')
  t.ok(lines.length <= 8 && lines.every((line) => line.length <= 50), narrow.out)
  const piped = start(t, ['top', '--every', '0.1', '--json'], { env })
  await piped.until(/^\{.*\}\n\{.*\}\n/)
  const { code, out } = await piped.end('SIGINT')
  t.equal(code, 0)
  for (const line of out.trim().split('\n')) t.ok(JSON.parse(line).nodes)
})

t.test('wrong options are refused', async (t) => {
  t.match(await run(['top', '--every', '0'], env), { code: 2, err: /number of seconds/ })
  t.match(await run(['top', '--tenants', '21'], env), { code: 2, err: /from 1 to 20/ })
})
