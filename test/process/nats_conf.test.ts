import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { natsBinary } from '../../runtime/servers/nats.ts'
import { natsOptions } from '../../runtime/servers/nats_options.ts'
import { tempDir } from '../support/mod.ts'

const reference = new URL('../../nats.conf', import.meta.url).pathname

const environment = {
  NATS_SERVER_NAME: 'nats-1',
  NATS_PASSWORD: '"one: two"',
  NATS_SYSTEM_PASSWORD: '"three"',
  NATS_ROUTE_PASSWORD: '"four"',
  NATS_ROUTE_ONE: '"nats://route:four@nats-2:6222"',
  NATS_ROUTE_TWO: '"nats://route:four@nats-3:6222"',
}

/** nats-server's verdict on a configuration file. */
function check(file: string, env: NodeJS.ProcessEnv = environment) {
  const { status, stderr } = spawnSync(natsBinary(), ['-t', '-c', file], { env, encoding: 'utf8' })
  return { status, stderr }
}

t.test('nats-server accepts the reference configuration', (t) => {
  t.match(check(reference), { status: 0, stderr: /is valid/ })
  t.match(check(reference, { ...environment, NATS_PASSWORD: undefined }), { status: 1, stderr: /NATS_PASSWORD/ })
  t.end()
})

t.test('it accepts it with TLS switched on, but for the certificates it has not got', (t) => {
  const file = join(tempDir(t), 'nats.conf')
  const switched = readFileSync(reference, 'utf8').replace(
    /^( *)# (tls \{| {2}\w+_file:.*| {2}timeout: .*|\})$/gm,
    '$1$2',
  )
  t.equal(switched.match(/^ *tls \{$/gm)?.length, 2)
  writeFileSync(file, switched)
  t.match(check(file), { status: 1, stderr: /X509|certificate|no such file/ })
  t.end()
})

t.test('NATS_URL is taken apart for the client', (t) => {
  t.strictSame(natsOptions('nats://127.0.0.1:4222'), { servers: ['127.0.0.1:4222'] })
  t.strictSame(natsOptions('nats://s3cr%2Ft@one:4222'), { servers: ['one:4222'], token: 's3cr/t' })
  t.strictSame(natsOptions('tls://parley:pass%20word@one:4222, nats://two:4223'), {
    servers: ['one:4222', 'two:4223'],
    tls: {},
    user: 'parley',
    pass: 'pass word',
  })
  t.strictSame(natsOptions('one:4222'), { servers: ['one:4222'] })
  t.end()
})
