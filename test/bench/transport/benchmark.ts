/**
 * The transport alone, without actors and database. One side reads all partitions of a cluster; the other publishes one
 * message at a time to one partition after the other. Each size has a nats-server of its own, with fresh data.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { silentLog } from '../../../runtime/log.ts'
import { JetStreamTransport } from '../../../runtime/messages/jetstream_transport.ts'
import type { Benchmark, Options } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { runLoad } from '../load/loop.ts'
import { figureGoal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { cpuSeconds, peakMebibytes } from '../report/usage.ts'
import { startNats } from '../servers/nats.ts'

const SUMMARY = 'messages between two nodes, without actors; an operation is one message of 300 bytes'
const SIZES = [64, 1024, 4096]
const IN_FLIGHT = 256
const OPEN = 's until all partitions are read'
const RESERVED = 'MiB that the broker sets aside'
const scenarioOf = (partitions: number) => `${partitions} partitions, ${IN_FLIGHT} in flight`
const GOALS = SIZES.flatMap((partitions) => [
  figureGoal(scenarioOf(partitions), 'parley', OPEN, 5),
  figureGoal(scenarioOf(partitions), 'parley', RESERVED, 1024),
])

/** The benchmark `transport`. */
export const transport: Benchmark = { id: 'transport', summary: SUMMARY, run }

async function run({ rounds, seconds, directory }: Options): Promise<Report> {
  const machine = describeMachine(directory)
  const rows: Row[] = []
  for (const partitions of SIZES) {
    process.stderr.write(`transport, ${partitions} partitions `)
    rows.push(await measure(partitions, join(directory, 'transport', String(partitions)), rounds, seconds))
    process.stderr.write('\n')
  }
  const verdicts = GOALS.map((goal) => judge(goal, rows))
  return { id: 'transport', summary: SUMMARY, machine, rounds, seconds, rows, verdicts, not_run: {} }
}

async function measure(partitions: number, directory: string, rounds: number, seconds: number): Promise<Row> {
  mkdirSync(directory, { recursive: true })
  const { server, url } = await startNats(directory, 'default')
  const processes = { nodes: process.pid, nats: server.pid }
  const row: Row = {
    scenario: scenarioOf(partitions),
    peer: 'parley',
    rounds: [],
    cpu: [],
    noise: [],
    peak_mib: {},
    problems: [],
  }
  const pair = await startPair(url, partitions)
  try {
    for (let round = 0; round < rounds; round++) {
      const open_s = await pair.open()
      const before = cpuSeconds(processes)
      const sample = await runLoad(pair.send, { seconds, keys: 1, in_flight: IN_FLIGHT }, 2000)
      const after = cpuSeconds(processes)
      const reserved_mib = await pair.reservedMebibytes()
      row.rounds.push({ ...sample, figures: { [OPEN]: open_s, [RESERVED]: reserved_mib } })
      // The nats-server is a child of this process, whose family includes it too.
      const [all, nats] = [after.nodes! - before.nodes!, after.nats! - before.nats!]
      row.cpu.push({ nodes: ((all - nats) * 1000) / sample.issued, nats: (nats * 1000) / sample.issued })
      if (sample.errors > 0) row.problems.push(`${sample.errors} of ${sample.issued} messages did not arrive`)
      await pair.close()
      process.stderr.write('.')
    }
    row.peak_mib = { nats: peakMebibytes(processes).nats! }
    return row
  } finally {
    await pair.stop()
    await server.stop()
  }
}

/** Two transports on connections of their own. */
async function startPair(url: string, partitions: number) {
  const all = Array.from({ length: partitions }, (_, partition) => partition)
  const connections: NatsConnection[] = [await connect({ servers: url }), await connect({ servers: url })]
  const options = { prefix: 'bench', replicas: 1, log: silentLog }
  const [reader, writer] = connections.map((connection) => new JetStreamTransport(connection, options)) as [
    JetStreamTransport,
    JetStreamTransport,
  ]
  await reader.start()
  await writer.start()
  const manager = await jetstreamManager(connections[0]!)
  const json = JSON.stringify({ type: 'x', text: 'y'.repeat(250) })
  const under_way = new Map<number, (ok: boolean) => void>()
  let number = 0
  const publish = (partition: number, done: (ok: boolean) => void) => {
    under_way.set(++number, done)
    writer.publish(partition, [{ number, partition, address: 'bench/reader', sender: 'bench/writer', json }], 1)
  }
  return {
    /** Opens all partitions at once. Resolves to the seconds until a message has come through each. */
    async open(): Promise<number> {
      const from = performance.now()
      const receive = ({ first }: { first: number }) => {
        under_way.get(first)?.(true)
        under_way.delete(first)
      }
      const deaf = new Set(all)
      for (let looks = 0; deaf.size > 0; looks++) {
        // The sweep of a node does the same: a busy broker may not have answered in time.
        if (looks % 250 === 0) await Promise.all([...deaf].map((partition) => reader.reopen(partition, receive)))
        if (looks % 10 === 0) for (const partition of deaf) publish(partition, () => deaf.delete(partition))
        await pause(20)
      }
      return (performance.now() - from) / 1000
    },
    send: (_key: number, done: (ok: boolean) => void) => publish((number * 7919) % partitions, done),
    async reservedMebibytes(): Promise<number> {
      let bytes = 0
      for await (const { config } of manager.streams.list()) bytes += Math.max(0, config.max_bytes)
      return bytes / 2 ** 20
    },
    close: () => Promise.all(all.map((partition) => reader.close(partition))),
    async stop() {
      await reader.stop()
      for (const connection of connections) await connection.close()
    },
  }
}
