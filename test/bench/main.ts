/**
 * `npm run bench [id…] [--rounds n] [--seconds s] [--json directory] [--peer name]… [--scenario words]… [--sync-always]`
 * Without ids, every benchmark. Exits with 1 when something that was asked for could not run, 2 on wrong usage; a
 * target that is not met is said in the table and does not change the exit code.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWith, readArguments } from '../support/options.ts'
import { actorAsk } from './actor_ask/benchmark.ts'
import { actorTell } from './actor_tell/benchmark.ts'
import { assistants } from './assistants/benchmark.ts'
import type { Benchmark } from './benchmark.ts'
import { boot } from './boot/benchmark.ts'
import { broadcast } from './broadcast/benchmark.ts'
import { broadcastIsolation } from './broadcast/isolation.ts'
import { agentConsole } from './console/benchmark.ts'
import { deliver } from './deliver/benchmark.ts'
import { failover } from './failover/benchmark.ts'
import { fanOut } from './fan_out/benchmark.ts'
import { growth } from './growth/benchmark.ts'
import { history } from './history/benchmark.ts'
import { hostileBody } from './hostile_body/benchmark.ts'
import { httpFloor } from './http_floor/benchmark.ts'
import { ingest } from './ingest/benchmark.ts'
import { intake } from './intake/benchmark.ts'
import { backlog } from './isolation/backlog_rows.ts'
import { isolation } from './isolation/benchmark.ts'
import { knowledge } from './knowledge/benchmark.ts'
import { latency } from './latency/benchmark.ts'
import { nodes } from './nodes/benchmark.ts'
import { placement } from './placement/benchmark.ts'
import { reconnect } from './reconnect/benchmark.ts'
import { renderMarkdown } from './report/markdown.ts'
import type { Report } from './report/report.ts'
import { render } from './report/table.ts'
import { send } from './send/benchmark.ts'
import { stopChildren } from './servers/child.ts'
import { snapshot } from './snapshot/benchmark.ts'
import { transport } from './transport/benchmark.ts'
import { wake } from './wake/benchmark.ts'

const BENCHMARKS: Benchmark[] = [
  httpFloor,
  hostileBody,
  intake,
  ingest,
  send,
  broadcast,
  broadcastIsolation,
  history,
  deliver,
  latency,
  assistants,
  isolation,
  backlog,
  actorTell,
  actorAsk,
  transport,
  nodes,
  placement,
  growth,
  wake,
  failover,
  fanOut,
  reconnect,
  snapshot,
  knowledge,
  agentConsole,
  boot,
]

const USAGE = `usage: npm run bench -- [id…] [--rounds n] [--seconds s] [--json directory] [--peer name]… [--scenario words]… [--sync-always]
ids: ${BENCHMARKS.map(({ id }) => id).join(' ')}`

/** No benchmark may take longer than this, in minutes. */
const LIMIT = 60

async function main(): Promise<number> {
  const { values, positionals } = readArguments(
    {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      json: { type: 'string' },
      'sync-always': { type: 'boolean', default: false },
      peer: { type: 'string', multiple: true },
      scenario: { type: 'string', multiple: true },
    },
    USAGE,
  )
  const unknown = positionals.filter((id) => !BENCHMARKS.some((known) => known.id === id))
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
  if (unknown.length > 0 || !(rounds >= 1) || !(seconds > 0)) endWith(USAGE)
  const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'parley-bench-'))
  chmodSync(directory, 0o755)
  const clear = async () => {
    await stopChildren()
    rmSync(directory, { recursive: true, force: true })
  }
  let leaving = false
  const leave = () => {
    // npm passes signals on, so one may come twice; the second must not cut the clearing short.
    if (leaving) return
    leaving = true
    void clear().finally(() => process.exit(1))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leave)
  const { peer: peers, scenario: scenarios, 'sync-always': sync_always } = values
  const options = { rounds, seconds, directory, peers, scenarios, sync_always }
  let complete = true
  try {
    for (const known of BENCHMARKS.filter(({ id }) => positionals.length === 0 || positionals.includes(id))) {
      const report = await within(LIMIT, known.run(options))
      console.log(render(report))
      if (Object.keys(report.not_run).length > 0) complete = false
      if (values.json !== undefined) keep(values.json, report)
    }
  } finally {
    await clear()
  }
  return complete ? 0 : 1
}

/** The full report as JSON, and its tables as Markdown for docs/benchmarks.md. */
function keep(directory: string, report: Report): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${report.id}.json`), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(directory, `${report.id}.md`), renderMarkdown(report))
}

function within<T>(minutes: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not done within ${minutes} minutes`)), minutes * 60_000)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
