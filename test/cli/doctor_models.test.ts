/** `parley doctor` asks the addresses of the models. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { freePort, tempDir } from '../support/mod.ts'
import { run } from './command.ts'

t.test('doctor says which models answer, refuse the key, or cannot be reached, and tells no key', async (t) => {
  const asked: string[] = []
  const server = createServer(({ url = '', headers: { authorization, 'x-team': team } }, response) => {
    asked.push(`${url} ${authorization} ${team}`)
    response.writeHead(authorization === 'Bearer the-right-key' ? 200 : url.includes('broken') ? 502 : 401).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const away = `127.0.0.1:${await freePort()}`
  const of = (url: string, more: object = {}) => ({ url, context: 8000, ...more })
  const PARLEY_MODELS = JSON.stringify({
    good: of(`http://${host}/v1`, { key: 'the-right-key', headers: { 'x-team': 'support' } }),
    refused: of(`http://${host}/v1`, { key: 'the-wrong-key' }),
    broken: of(`http://${host}/broken/v1`),
    away: of(`http://${away}/v1`),
  })
  const env = {
    PARLEY_MODELS,
    PARLEY_DATA_DIR: tempDir(t),
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: String(await freePort()),
  }
  const { out, err } = await run(['doctor', '--json'], env)
  const found = JSON.parse(out).findings.filter(({ name }: { name: string }) => name === 'models')
  t.same(found, [
    { name: 'models', status: 'ok', text: `The address of the model good answers (${host}).` },
    {
      name: 'models',
      status: 'warn',
      text: `The model refused cannot be used: ${host} does not accept its key. Correct it in PARLEY_MODELS.`,
    },
    {
      name: 'models',
      status: 'warn',
      text: `The model broken cannot be used now: ${host} answers with the status 502.`,
    },
    {
      name: 'models',
      status: 'warn',
      text: `The model away cannot be reached at ${away} (ECONNREFUSED): correct its url in PARLEY_MODELS.`,
    },
  ])
  t.notMatch(out + err, /the-(?:right|wrong)-key/)
  t.ok(asked.includes('/v1/models Bearer the-right-key support'), asked.join())
})
