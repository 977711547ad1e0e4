/** Commands and the server that they call: none, one that is not Parley, one that cannot answer at the moment. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { tempDir } from '../support/mod.ts'
import { run } from './command.ts'

t.test('without a running Parley, a command tells the remedy', async (t) => {
  const env = { PARLEY_DATA_DIR: tempDir(t) }
  const demo = { base_url: 'http://127.0.0.1:1', simulator_url: 'http://127.0.0.1:1', token: 'x', operator_key: 'x' }
  const gone = { PARLEY_DATA_DIR: tempDir(t) }
  writeFileSync(join(gone.PARLEY_DATA_DIR, 'demo.json'), JSON.stringify(demo))
  const production = { ...gone, PARLEY_ENV: 'production' }
  const [none, stopped, serious, keyless, elsewhere, simulator, migrate, unreachable, several, standby] =
    await Promise.all([
      run(['token', 'list'], env),
      run(['webhooks', 'listen'], gone),
      run(['token', 'list'], production),
      run(['webhooks', 'listen', '--base-url', 'http://127.0.0.1:1'], production),
      run(['token', 'list', '--base-url', 'http://127.0.0.1:2'], gone),
      run(['simulate', 'inbound', '--from', '+15551234567', '--text', 'Hi'], gone),
      run(['migrate'], env),
      run(['migrate'], { DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/x' }),
      run(['migrate'], { DATABASE_URL: 'postgres://me:hush@127.0.0.1:1,127.0.0.1:2/x' }),
      run(['migrate'], { DATABASE_URL: 'postgres://me:hush@127.0.0.1:1?target_session_attrs=standby' }),
    ])
  t.match(none, { code: 1, out: '', err: /^There is no Parley to speak to: start one with `npm start`, .*\n$/ })
  t.match(stopped, { code: 1, out: '', err: /^Nobody answers at http:\/\/127\.0\.0\.1:1 \(.*\): start Parley .*\n$/ })
  t.match(serious, { code: 1, err: /^There is no Parley to speak to/ }, 'demo.json does not count in production')
  t.match(keyless, { code: 1, err: /^An access token for http:\/\/127\.0\.0\.1:1 is missing/ })
  t.match(elsewhere, { code: 1, err: /^The operator key of http:\/\/127\.0\.0\.1:2 is missing/ }, 'keys stay at home')
  t.match(simulator, { code: 1, out: '', err: /^Nobody answers/ })
  t.match(migrate, { code: 1, out: '', err: /^DATABASE_URL is not set: / })
  t.match(unreachable, { code: 1, err: /^The database of DATABASE_URL refuses: .*ECONNREFUSED.*\.\n$/ })
  t.match(several, {
    code: 1,
    err: /^The database of DATABASE_URL refuses: no server takes writes \(127\.0\.0\.1:1: .*; 127\.0\.0\.1:2: .*\)\.\n$/,
  })
  t.match(standby, { code: 1, err: /^DATABASE_URL must not ask for servers that take no writes: .*\.\n$/ })
  for (const { err } of [unreachable, several, standby]) t.notMatch(err, 'hush')
})

t.test('a key that no header carries is refused without being repeated', async (t) => {
  const base = ['--base-url', 'http://127.0.0.1:1']
  const [operator, project] = await Promise.all([
    run(['token', 'list', ...base], { PARLEY_OPERATOR_KEY: 'hush\nhush' }),
    run(['webhooks', 'list', ...base], { PARLEY_TOKEN: '“hush”' }),
  ])
  t.match(operator, { code: 1, out: '', err: /^The operator key contains a line break or .*\n$/ })
  t.match(project, { code: 1, out: '', err: /^The token contains a line break or .*\n$/ })
  for (const { err } of [operator, project]) t.notMatch(err, 'hush')
})

t.test('a command recognises a server that is no Parley, or does not deliver here', async (t) => {
  const violation = { path: 'url', message: 'must be an https:// address', code: 'check' }
  const error = {
    code: 'VALIDATION_ERROR',
    message: 'url must be an https:// address',
    details: { violations: [violation] },
  }
  const server = createServer((request, response) => {
    const is_creation = request.method === 'POST'
    response.writeHead(is_creation ? 400 : 502, { connection: 'close' })
    response.end(is_creation ? JSON.stringify({ error }) : '<html>Bad Gateway</html>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const base = ['--base-url', `http://127.0.0.1:${(server.address() as { port: number }).port}`]
  const [listen, list] = await Promise.all([
    run(['webhooks', 'listen', '--events', 'whatsapp.message.read', ...base], { PARLEY_TOKEN: 'x' }),
    run(['token', 'list', ...base], { PARLEY_OPERATOR_KEY: 'x' }),
  ])
  t.match(listen, {
    code: 1,
    out: '',
    err: /^url must be .* \(VALIDATION_ERROR\)\. This server does not deliver .* --url\.\n$/,
  })
  t.match(list, { code: 1, out: '', err: /^http:.* answers 502 and not as Parley does: correct the address\.\n$/ })
})

t.test('a node that cannot answer at the moment is asked to read again, and to write once', async (t) => {
  const asked = { GET: 0, POST: 0 }
  const server = createServer((request, response) => {
    const n = ++asked[request.method as 'GET' | 'POST']
    const is_read = request.method === 'GET' && n === 3
    response.writeHead(is_read ? 200 : 503, { connection: 'close', 'retry-after': '0' })
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The service cannot take this request now.' }
    response.end(JSON.stringify(is_read ? { data: [], total: 0, has_more: false } : { error }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const base = ['--base-url', `http://127.0.0.1:${(server.address() as { port: number }).port}`]
  const env = { PARLEY_OPERATOR_KEY: 'x' }
  const [read, write] = await Promise.all([
    run(['operator-keys', 'list', '--json', ...base], env),
    run(['operator-keys', 'create', 'CI', '--role', 'read', ...base], env),
  ])
  t.match(read, { code: 0, err: '' })
  t.match(write, { code: 1, out: '', err: /^The service cannot take this request now \(SERVICE_UNAVAILABLE\)\.\n$/ })
  t.strictSame(asked, { GET: 3, POST: 1 })
})
