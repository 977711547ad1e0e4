/** nats.conf as it is: three servers with TLS and passwords, and a Parley that has only the rights it grants. */
import { readFileSync } from 'node:fs'
import { RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { connect, PermissionViolationError } from '@nats-io/transport-node'
import t from 'tap'
import { makeStream } from '../../runtime/broker/streams.ts'
import { partitionOf } from '../../runtime/mod.ts'
import { natsOptions } from '../../runtime/servers/nats_options.ts'
import { tempDir } from '../support/mod.ts'
import { eventually, type Json, sleep } from './client.ts'
import { makeTenant, type Tenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { checkLoad, startLoad } from './load.ts'
import { makeCertificate, startNatsFromConf } from './nats_from_conf.ts'

t.test('Parley runs on three servers of nats.conf with TLS, within the rights it grants', async (t) => {
  const certificate = makeCertificate(tempDir(t))
  if (!certificate) return void t.pass('openssl is not installed: there are no certificates to test with')
  const nats = await startNatsFromConf(t, certificate)
  const world = await startKillable(t, {
    waits: { confirm_ms: 20_000, send_ms: 5000 },
    env: () => ({
      PARLEY_NODES: '2',
      PARLEY_POOL_SIZE: '6',
      PARLEY_NATS_PREFIX: 'parley',
      PARLEY_NATS_REPLICAS: '3',
      NATS_URL: nats.url,
      NODE_EXTRA_CA_CERTS: certificate.cert_file,
    }),
  })
  const { http, config } = world
  await eventually('both nodes have a share', async () => {
    const { partitions } = (await world.operator('GET', 'cluster')).body
    return new Set(partitions.map(({ owner }: Json) => owner)).size === 2
  })
  // The project and its channel are to belong to two nodes, so that messages between them go over the streams.
  const owner = async (address: string) => {
    const { partitions } = (await world.operator('GET', 'cluster')).body
    return partitions[partitionOf(address, partitions.length)].owner
  }
  let tenant = await makeTenant(world)
  const isOfOneNode = async ({ project_id, number }: Tenant) =>
    (await owner(`project/${project_id}`)) === (await owner(`channel/${number.channel_id}`))
  while (await isOfOneNode(tenant)) tenant = await makeTenant(world)
  const load = await startLoad(tenant)
  // Without a right to its streams, Parley would go on slowly, by the outbox.
  await eventually('the streams carry', async () => {
    const { text } = await http('GET', await world.metrics_url())
    const received = [...text.matchAll(/^parley_transport_received_total\S* (\d+)/gm)]
    return received.length === 2 && received.every(([, count]) => Number(count) > 5)
  })
  await sleep(500)
  await load.stop()
  await checkLoad(t, world, tenant, load, config.database_url!)
  t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
  t.notMatch(nats.said(), /violation|authentication error/i, 'no right was missing')

  const options = natsOptions(nats.url)
  await t.rejects(connect({ ...options, maxReconnectAttempts: 0 }), 'a certificate of an unknown authority is refused')
  const connection = await connect({ ...options, tls: { ca: readFileSync(certificate.cert_file, 'utf8') } })
  t.teardown(() => connection.close())
  const seldom = ['STREAM.MSG.GET.parley-live', 'CONSUMER.DELETE.parley-transport-0.gone']
  for (const request of seldom) await t.resolves(connection.request(`$JS.API.${request}`, '{}'), request)
  const changed = {
    name: 'parley-transport-0',
    subjects: ['parley.transport.0.*'],
    storage: StorageType.Memory,
    num_replicas: 1,
  }
  await t.resolves(
    makeStream(connection, { ...changed, retention: RetentionPolicy.Limits }),
    'it may change how many copies there are',
  )
  const refused = { message: /permissions violation/i }
  await t.rejects(
    connection.request('$JS.API.STREAM.DELETE.parley-transport-0'),
    refused,
    'Parley may not delete streams',
  )
  await t.rejects(connection.request('orders.made'), refused, 'Parley may not publish to other subjects')
  const error = await new Promise((resolve) => connection.subscribe('>', { callback: resolve }))
  t.type(error, PermissionViolationError, 'it may not listen elsewhere')
})
