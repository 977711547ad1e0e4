/** The commands for agents' tools, with a running Parley. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { joinWorld, makeTenant } from '../e2e/fixture.ts'
import { startToolServer } from '../e2e/tool_server.ts'
import { tempDir } from '../support/mod.ts'
import { type Finished, run } from './command.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const server = await startToolServer(t)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: tenant.token }
const tools = (args: string[], input?: string): Promise<Finished> => run(['tools', ...args], env, input)

t.test('an empty list says what to do', async (t) => {
  t.match(await tools(['list']), { code: 0, out: '', err: /parley tools create/ })
  t.match(await tools(['list', '--state', 'off']), { code: 0, out: '', err: 'No tool is like that.\n' })
  t.match(await tools(['list', '--json']), { code: 0, out: '[]\n', err: '' })
})

t.test('a tool is created, shown, tested, changed and deleted', async (t) => {
  const file = join(tempDir(t), 'parameters.json')
  const number = { type: 'string', description: 'its number' }
  writeFileSync(file, JSON.stringify({ type: 'object', properties: { number }, required: ['number'] }))
  const create = ['create', '--name', 'Order', '--url', server.url('orders'), '--header', 'X-Shop: 2']
  const headers = ['--header-file', '-']
  const created = await tools([...create, ...headers, '--parameters', file, '--json'], 'X-Key: a secret\n\n')
  t.equal(created.code, 0, created.err)
  const { _id } = JSON.parse(created.out)
  t.match(await tools(['show', _id]), { code: 0, out: /number \(required\)/ })
  t.match(await tools(['list']), { code: 0, out: new RegExp(`${_id}  on     Order`) })

  const called = await tools(['test', _id, '--argument', 'number=A-1', '--argument', 'count=2'])
  t.match(called, { code: 0, out: /^succeeded \(200\) in \d+ ms\n\{"ok":true\}\n$/ })
  t.match(server.requests.at(-1), {
    body: '{"number":"A-1","count":2}',
    headers: { 'x-key': 'a secret', 'x-shop': '2' },
  })
  const faulty = await tools([...create, ...headers], 'X-Key a secret')
  t.match(faulty, { code: 1, err: 'Line 1 of - must be a name and a value: "X-Shop: 2".\n' })
  t.match(await tools(['test', _id, '--arguments', '-', '--json'], '{"number":"A-2"}'), { code: 0, out: /"A-2"/ })
  t.match(await tools(['test', _id]), { code: 1, out: '', err: /arguments\.number is required.*ARGUMENTS_INVALID/ })
  t.match(await tools(['calls', _id]), { code: 0, out: /succeeded \(200\).*\n.*succeeded \(200\)/ })

  t.match(await tools(['update', _id]), { code: 2, err: /Say what to change/ })
  t.match(await tools(['update', _id, '--off', '--url', server.url('broken')]), { code: 0, out: /state +off/ })
  t.match(await tools(['test', _id, '--argument', 'number=A-1']), {
    code: 1,
    out: /^failed: http_500 in \d+ ms\noops\n$/,
  })
  t.match(await tools(['update', _id, '--on']), { code: 0, out: /state +on/ })
  t.match(await tools(['update', _id, '--on', '--off']), { code: 2 })
  t.match(await tools(['delete', _id, '--yes']), { code: 0, out: `Deleted ${_id}.\n` })
  t.match(await tools(['show', _id]), { code: 1, err: /parley tools list.*\(NOT_FOUND\)/ })
})

t.test('wrong options are explained', async (t) => {
  const cases: [args: string[], err: RegExp][] = [
    [['create', '--url', 'https://example.com/'], /--name is missing/],
    [['create', '--name', 'x', '--url', 'http://example.com/'], /url must be an https:\/\/ address/],
    [['create', '--name', 'x', '--url', 'https://example.com/', '--header', 'nonsense'], /a name and a value/],
    [['create', '--name', 'x', '--url', 'https://example.com/', '--parameters', 'none.json'], /There is no file/],
    [['test', 'x', '--argument', 'nonsense'], /a name and a value/],
    [['list', '--state', 'new'], /choices/],
  ]
  for (const [args, err] of cases) t.match(await tools(args), { code: /[12]/, err }, args.join(' '))
})
