import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { natsBinary } from '../../runtime/servers/nats.ts'
import { natsOptions } from '../../runtime/servers/nats_options.ts'
import { referenceWithTls } from '../e2e/nats_from_conf.ts'
import { freePort, tempDir, testNats } from '../support/mod.ts'

const reference = new URL('../../nats.conf', import.meta.url).pathname

const environment = {
  NATS_SERVER_NAME: 'nats-1',
  NATS_PASSWORD: '"one: two"',
  NATS_SYSTEM_PASSWORD: '"three"',
  NATS_ROUTE_PASSWORD: '"four"',
  NATS_ROUTE_ONE: '"nats://route:four@nats-2:6222"',
  NATS_ROUTE_TWO: '"nats://route:four@nats-3:6222"',
}

/** Returns nats-server's verdict on a configuration file. */
function check(file: string, env: NodeJS.ProcessEnv = environment) {
  const { status, stderr } = spawnSync(natsBinary(), ['-t', '-c', file], { env, encoding: 'utf8' })
  return { status, stderr }
}

t.test('nats-server accepts the reference configuration', (t) => {
  t.match(check(reference), { status: 0, stderr: /is valid/ })
  t.match(check(reference, { ...environment, NATS_PASSWORD: undefined }), { status: 1, stderr: /NATS_PASSWORD/ })
  t.end()
})

t.test('nats-server accepts the reference with TLS switched on, except for the missing certificates', (t) => {
  const file = join(tempDir(t), 'nats.conf')
  const switched = referenceWithTls()
  t.equal(switched.match(/^ *tls \{$/gm)?.length, 2)
  writeFileSync(file, switched)
  t.match(check(file), { status: 1, stderr: /X509|certificate|no such file/ })
  t.end()
})

t.test('NATS_URL is taken apart for the client', (t) => {
  t.match(natsOptions('nats://127.0.0.1:4222'), { servers: ['127.0.0.1:4222'], token: undefined, user: undefined })
  t.match(natsOptions('nats://s3cr%2Ft@one:4222'), { servers: ['one:4222'], token: 's3cr/t', tls: undefined })
  t.match(natsOptions('tls://parley:pass%20word@one:4222, nats://two:4223'), {
    servers: ['one:4222', 'two:4223'],
    tls: {},
    user: 'parley',
    pass: 'pass word',
  })
  t.match(natsOptions('one:4222'), { servers: ['one:4222'] })
  t.end()
})

t.test('a server of NATS_URL that is down or silent leaves the others usable', async (t) => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const { url } = await testNats(t)
  const [closed, open] = [await freePort(), (silent.address() as AddressInfo).port]
  const options = natsOptions(`nats://127.0.0.1:${closed},nats://127.0.0.1:${open},${url}`)
  const began = performance.now()
  const connection = await connect({ ...options, noRandomize: true })
  t.teardown(() => connection.close())
  t.ok(performance.now() - began < 15_000, 'long before the 20 s that the client waits by itself')
})
