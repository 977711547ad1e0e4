/** The command line with a production Parley, on the machine of the node. */
import t from 'tap'
import { startWorld } from '../e2e/fixture.ts'
import { startTestServer } from '../http/test_server.ts'
import { run } from './command.ts'

t.test('commands work without TLS on a machine that the node trusts', async (t) => {
  // A node in production.
  const world = await startWorld(t, {
    config: { environment: 'production', trusted_proxies: ['127.0.0.1'], secret: 'a secret of the tests alone' },
  })
  const env = { PARLEY_ENV: 'production', PARLEY_OPERATOR_KEY: world.config.operator_key! }
  const { code, out, err } = await run(['cluster', 'status', '--base-url', world.base_url], env)
  t.equal(code, 0, err)
  t.match(out, /\b\d+ partitions, \d+ messages waiting\n$/)
  // An upgrade ends when no node of the old release is left.
  t.match(out, /^node +process +release +since[^\n]*\n\w{12} +\S+:\d+ +\d+\.\d+\.\d+ +\d{4}-/)
})

t.test('the refusal on a machine that the node does not trust tells the remedy', async (t) => {
  const { port } = await startTestServer(t, { config: { production: true } })
  const base_url = `http://127.0.0.1:${port}`
  const { code, out, err } = await run(['webhooks', 'list', '--base-url', base_url], { PARLEY_TOKEN: 'x' })
  t.match({ code, out }, { code: 1, out: '' })
  t.equal(
    err,
    `${base_url} is a production Parley, which takes no plain HTTP: give the https:// address of its proxy (--base-url ` +
      'or PARLEY_BASE_URL), or, to work on its own machine without TLS, add 127.0.0.1 to its PARLEY_TRUSTED_PROXIES ' +
      '(HTTPS_REQUIRED).\n',
  )
})

t.test('without an address, a command asks for one and does not advise a development start', async (t) => {
  const { code, err } = await run(['cluster', 'status'], { PARLEY_ENV: 'production' })
  t.equal(code, 1)
  t.match(err, /^There is no Parley to speak to: name one with --base-url or PARLEY_BASE_URL, /)
})
