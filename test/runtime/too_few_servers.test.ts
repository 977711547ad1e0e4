/** More replicas than NATS has servers: the node works without the streams, and says so where operators look. */
import t from 'tap'
import { type Log, silentLog } from '../../runtime/log.ts'
import { type Owner, privateNats, privateNatsCluster, testDatabase } from '../support/mod.ts'
import { linkKind } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const places = [
  { name: 'a single server', start: privateNats, replicas: 3 },
  { name: 'a cluster', start: (owner: Owner) => privateNatsCluster(owner, 3), replicas: 5 },
]
for (const { name, start, replicas } of places) {
  t.test(`${name} that has too few servers for the replicas is told once in the log, and at /ready`, async (t) => {
    const { database } = await testDatabase(t)
    const nats = { ...(await start(t)), replicas }
    const said: string[] = []
    const tell = (_fields: object, text?: string) => void said.push(text ?? '')
    const log: Log = { ...silentLog, warn: tell, error: tell }
    const node = await startNode(t, { database, nats }, [linkKind()], { partitions: 16, cluster: {}, log })
    await until(async () => (await node.readiness()).warnings.length > 0)
    const { ok, warnings } = await node.readiness()
    t.ok(ok, 'it serves')
    t.match(warnings, [new RegExp(`^NATS has too few servers with JetStream for PARLEY_NATS_REPLICAS=${replicas} \\(`)])
    t.equal(said.filter((line) => line === warnings[0]).length, 1)
    t.strictSame(
      said.filter((line) => line.startsWith('opening the transport')),
      [],
    )
  })
}
