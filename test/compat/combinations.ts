import { natsServerOf, postgres15 } from './debian.ts'

/** One set of servers for a run of the tests. */
export type Combination = {
  name: string
  /** The Debian release that the nats-server comes from. */
  release: 'bookworm' | 'trixie' | 'sid'
  /** The number of nats-servers. With several, each stream has a copy on every one. */
  servers: 1 | 3
  postgres: 15 | 18
}

/** Every nats-server alone and as a cluster; PostgreSQL 15 with what Debian 12 ships beside it. */
export const combinations: Combination[] = [
  { name: '2.9', release: 'bookworm', servers: 1, postgres: 18 },
  { name: '2.9-postgres15', release: 'bookworm', servers: 1, postgres: 15 },
  { name: '2.9-cluster', release: 'bookworm', servers: 3, postgres: 18 },
  { name: '2.10', release: 'trixie', servers: 1, postgres: 18 },
  { name: '2.10-cluster', release: 'trixie', servers: 3, postgres: 18 },
  { name: '2.15', release: 'sid', servers: 1, postgres: 18 },
  { name: '2.15-cluster', release: 'sid', servers: 3, postgres: 18 },
]

/** The tests of the whole path, of several nodes, and of the engine's demands on the broker, as `npm test` has them. */
const EVERYWHERE = [
  'test/runtime/{cluster,crash,nodes,transport,transport_reader}.test.ts',
  'test/e2e/{crash,inbound,nodes,outages_broker,send,webhooks}.test.ts',
]
const ALONE = ['test/process/nats_conf.test.ts', 'test/e2e/{nats_conf,servers}.test.ts']
const IN_CLUSTER = ['test/compat/broker_*.ts']
/** The tests of the engine's and the queries' demands on the database. */
const WITH_OLD_POSTGRES = ['test/storage/*.test.ts', 'test/runtime/{commit,postgres,timers}.test.ts']

export function testsOf({ servers, postgres }: Combination): string[] {
  return [...EVERYWHERE, ...(servers === 1 ? ALONE : IN_CLUSTER), ...(postgres === 15 ? WITH_OLD_POSTGRES : [])]
}

/** Variables that point `npm test` at other servers than its own. */
type Pointers = { PARLEY_NATS_SERVER: string; PARLEY_TEST_NATS_SERVERS: string; PARLEY_TEST_POSTGRES_BIN?: string }

export async function environmentOf({ release, servers, postgres }: Combination): Promise<Pointers> {
  return {
    PARLEY_NATS_SERVER: await natsServerOf(release),
    PARLEY_TEST_NATS_SERVERS: String(servers),
    ...(postgres === 15 ? { PARLEY_TEST_POSTGRES_BIN: await postgres15() } : {}),
  }
}
