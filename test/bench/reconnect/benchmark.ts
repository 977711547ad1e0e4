/** Thousands of consoles lose their connections and come back within a second, to another node, with their positions. */
import { mkdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Benchmark, Options } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { seedPeople } from '../ingest/seed.ts'
import { dataOf, EVENT_TYPE, FIELDS } from '../ingest/shape.ts'
import type { PagesConfig } from '../load/pages.ts'
import { figureGoal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { cpuSeconds, peakMebibytes, residentKibibytes } from '../report/usage.ts'
import { Cluster } from '../servers/cluster.ts'
import { openConsoleProject } from '../servers/console_project.ts'
import { startRemote } from '../servers/remote.ts'
import type { CaughtUp } from './load_host.ts'

const SUMMARY = '5000 consoles come back within a second to the other of two nodes, and catch up'
const SCENARIO = '5000 consoles come back'
const PAGES = 5000
/** Events while the consoles are away. */
const MISSED = 50
const WITHIN_MS = 1000

const CAUGHT_UP = 's until the last console had all events'
const MISSING = 'events missing, all consoles together'
const AGAIN = 'events received twice'
const RESYNCS = 'consoles told to read again'
const MEMORY = 'KiB of a node for each of its sockets'
const READS = 'reads of the stream'
const SHARED = 'consoles served by the read for another one'
const LOAD = 'load average of the machine'

const GOALS = [
  figureGoal(SCENARIO, 'parley', CAUGHT_UP, 5),
  figureGoal(SCENARIO, 'parley', MISSING, 0),
  figureGoal(SCENARIO, 'parley', AGAIN, 0),
  figureGoal(SCENARIO, 'parley', RESYNCS, 0),
  figureGoal(SCENARIO, 'parley', MEMORY, 64),
]

/** The benchmark `reconnect`; `--seconds` does not apply. */
export const reconnect: Benchmark = { id: 'reconnect', summary: SUMMARY, run }

async function run({ rounds, seconds, directory }: Options): Promise<Report> {
  const base = join(directory, 'reconnect')
  mkdirSync(base, { recursive: true })
  const machine = describeMachine(directory)
  const row: Row = { scenario: SCENARIO, peer: 'parley', rounds: [], cpu: [], noise: [], peak_mib: {}, problems: [] }
  const not_run: Record<string, string> = {}
  const started: (() => unknown)[] = []
  try {
    const cluster = await Cluster.start(base, 2, { PARLEY_ADDRESS_PEOPLE: '20000' })
    started.push(() => cluster.stop())
    const { place, publish } = await openProject(cluster)
    const config: PagesConfig = { ports: cluster.nodes.map(({ port }) => port), pages: PAGES, ...place }
    await cluster.calm()
    const load = await startRemote('load', import.meta.url, './load_host.ts', config)
    started.push(() => load.child.stop())
    const nodes = cluster.nodes.map(({ child }) => child.pid)
    const before = nodes.map(residentKibibytes)
    await load.call('connect')
    const memory = nodes.map((pid, n) => ((residentKibibytes(pid) - before[n]!) * nodes.length) / PAGES)
    const processes = { node: nodes[0]!, 'other node': nodes[1]!, ...cluster.servers, load: load.child.pid }
    const gaps = async () => ({
      reads: await cluster.counter('parley_live_gap_reads_total'),
      shared: await cluster.counter('parley_live_gap_reads_shared_total'),
    })
    for (let round = 0; round < rounds; round++) {
      const gaps_before = await gaps()
      await load.call('drop')
      const ids = await publish(MISSED)
      const used = cpuSeconds(processes)
      const caught = await load.call<CaughtUp>('comeBack', { ids, within_ms: WITHIN_MS })
      const after = cpuSeconds(processes)
      // The nodes serve the same figures for a second.
      await pause(1500)
      const gaps_after = await gaps()
      row.cpu.push(
        Object.fromEntries(Object.keys(after).map((name) => [name, ((after[name]! - used[name]!) * 1000) / PAGES])),
      )
      row.rounds.push({
        operations: PAGES,
        issued: PAGES,
        errors: 0,
        seconds: caught.all_ms / 1000,
        p50_ms: caught.p50_ms,
        p99_ms: caught.p99_ms,
        figures: {
          [CAUGHT_UP]: caught.all_ms / 1000,
          [MISSING]: caught.missing,
          [AGAIN]: caught.again,
          [RESYNCS]: caught.resyncs,
          [MEMORY]: Math.max(...memory),
          [READS]: gaps_after.reads - gaps_before.reads,
          [SHARED]: gaps_after.shared - gaps_before.shared,
          [LOAD]: loadavg()[0]!,
        },
      })
    }
    row.peak_mib = peakMebibytes(processes)
  } catch (error) {
    not_run.parley = error instanceof Error ? error.message : String(error)
  } finally {
    for (const stop of started.reverse()) await stop()
  }
  const rows = row.rounds.length > 0 ? [row] : []
  const verdicts = GOALS.map((goal) => judge(goal, rows))
  return { id: 'reconnect', summary: SUMMARY, machine, rounds, seconds, rows, verdicts, not_run }
}

/** Makes a project with agents who are signed in, and a contact whose events they see. */
async function openProject(cluster: Cluster) {
  const { company_id, project_id, token, cookies } = await openConsoleProject(cluster, ['crm:events:write'])
  await cluster.admin('POST', '/event-types', { company_id, key: EVENT_TYPE, name: 'Order shipped', fields: FIELDS })
  const client = new pg.Client({ connectionString: cluster.database_url })
  await client.connect()
  const [chat_user_id] = await seedPeople(client, company_id, [project_id], 1)
  await client.end()
  const publish = async (count: number) => {
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const response = await fetch(`http://127.0.0.1:${cluster.nodes[0]!.port}/v1/crm/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ chat_user_id, event_type: EVENT_TYPE, data: dataOf(n) }),
      })
      const body = (await response.json()) as { event: { _id: string } }
      if (!response.ok) throw new Error(`an event was answered with ${response.status} ${JSON.stringify(body)}`)
      ids.push(body.event._id)
    }
    return ids
  }
  return { place: { project_id, cookies }, publish }
}
