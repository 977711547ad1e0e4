/**
 * The search in the knowledge against PostgreSQL's own ranking and a BM25 in JavaScript: how good the first ten
 * results are, on real texts, and how long a search takes among many generated texts.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, migrate, openDatabase } from '../../../storage/mod.ts'
import { root } from '../../support/root.ts'
import type { Benchmark, Options } from '../benchmark.ts'
import { wanted } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { type Goal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { startPostgres } from '../servers/postgres.ts'
import { type Engine, miniSearchEngine, parleyEngine, rankEngine } from './engines.ts'
import { generateTexts, queryKinds, randomFrom } from './generated.ts'
import { readSections } from './sections.ts'
import type { Question, Text } from './texts.ts'

const SUMMARY = 'ranking of the knowledge search (nDCG@10) and its time; an operation is one search'
const COUNT = Number(process.env.BENCH_DOCUMENTS ?? 100_000)
const QUALITY = 'quality, sections of installed packages'
const NDCG = 'nDCG@10'
const P95 = 'p95 ms'

/** The benchmark `knowledge`. `BENCH_DOCUMENTS` sets the number of generated texts, 100000 by default. */
export const knowledge: Benchmark = { id: 'knowledge', summary: SUMMARY, run }

async function run(options: Options): Promise<Report> {
  const { rounds, seconds } = options
  const directory = join(options.directory, 'knowledge')
  mkdirSync(directory, { recursive: true })
  const machine = describeMachine(directory)
  const rows: Row[] = []
  if (wanted(QUALITY, options.scenarios)) {
    const { texts, questions } = readSections(root)
    process.stderr.write(`knowledge: ${texts.length} sections, ${questions.length} queries\n`)
    await withEngines(join(directory, 'quality'), texts, 'english', 'en', options, async (engine) => {
      rows.push(await measureQuality(engine, questions))
    })
  }
  const kinds = Object.entries(queryKinds).map(([kind, make]) => ({ name: nameOf(kind), make }))
  const timed = kinds.filter(({ name }) => wanted(name, options.scenarios))
  if (timed.length > 0) {
    const texts = { [Symbol.iterator]: () => generateTexts(COUNT) }
    await withEngines(join(directory, 'time'), texts, 'simple', 'tl', options, async (engine) => {
      for (const { name, make } of timed) rows.push(await measureTime(engine, name, make, rounds, seconds))
    })
  }
  const goals = [qualityGoal(), ...kinds.map(({ name }) => timeGoal(name, 50))]
  const measured = goals.filter(({ scenario }) => wanted(scenario, options.scenarios))
  const verdicts = measured.map((goal) => judge(goal, rows))
  return { id: 'knowledge', summary: SUMMARY, machine, rounds, seconds, rows, verdicts, not_run: {} }
}

const nameOf = (kind: string) => `time, ${kind}, ${COUNT.toLocaleString('en-GB')} texts`

/** Runs `work` for each engine, one after the other, with its texts. */
async function withEngines(
  directory: string,
  texts: Iterable<Text>,
  configuration: string,
  language: string,
  { peers }: Options,
  work: (engine: Engine) => Promise<void>,
): Promise<void> {
  const { server, url } = await startPostgres(directory)
  let database: Database | undefined
  try {
    database = await openDatabase({ url })
    await migrate(database)
    const engines = [parleyEngine(database, language), rankEngine(database, configuration), miniSearchEngine()]
    for (const engine of engines.filter(({ name }) => wanted(name, peers))) {
      const began = performance.now()
      await engine.fill(texts)
      process.stderr.write(`${engine.name}: filled in ${Math.round((performance.now() - began) / 1000)} s\n`)
      await work(engine)
    }
  } finally {
    await database?.close()
    await server.stop()
  }
}

function emptyRow(scenario: string, peer: string): Row {
  return { scenario, peer, rounds: [], cpu: [], noise: [], peak_mib: {}, problems: [] }
}

/** With one answer for each query, nDCG is the discount of its rank. */
async function measureQuality({ name, search }: Engine, questions: Question[]): Promise<Row> {
  const row = emptyRow(QUALITY, name)
  let sum = 0
  const times: number[] = []
  const began = performance.now()
  for (const { query, answer } of questions) {
    const from = performance.now()
    const rank = (await search(query)).indexOf(answer)
    times.push(performance.now() - from)
    if (rank >= 0) sum += 1 / Math.log2(rank + 2)
  }
  const figures = { [NDCG]: round(sum / questions.length) }
  row.rounds.push(sampleOf(times, performance.now() - began, figures))
  return row
}

async function measureTime(
  { name, search }: Engine,
  scenario: string,
  make: (random: () => number) => string,
  rounds: number,
  seconds: number,
): Promise<Row> {
  const row = emptyRow(scenario, name)
  const random = randomFrom(2)
  for (let warm = 0; warm < 20; warm++) await search(make(random))
  for (let n = 0; n < rounds; n++) {
    const times: number[] = []
    const began = performance.now()
    do {
      const query = make(random)
      const from = performance.now()
      await search(query)
      times.push(performance.now() - from)
    } while (performance.now() - began < seconds * 1000)
    row.rounds.push(sampleOf(times, performance.now() - began))
  }
  return row
}

function sampleOf(times: number[], ms: number, figures: Record<string, number> = {}) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  const count = { operations: times.length, issued: times.length, errors: 0, seconds: ms / 1000 }
  return { ...count, p50_ms: at(0.5), p99_ms: at(0.99), figures: { ...figures, [P95]: round(at(0.95)) } }
}

const round = (value: number) => Math.round(value * 10_000) / 10_000

function qualityGoal(): Goal {
  const ndcg = (rows: Row[], name: string) => rows.find(({ peer }) => peer === name)?.rounds[0]?.figures?.[NDCG]
  const measure = (rows: Row[]) => {
    const [mine, theirs] = [ndcg(rows, 'parley'), ndcg(rows, 'minisearch')]
    return mine === undefined || theirs === undefined ? undefined : [mine - theirs]
  }
  return {
    scenario: QUALITY,
    text: 'nDCG@10 at least that of minisearch − 0.02',
    bound: 'at least',
    value: -0.02,
    measure,
  }
}

function timeGoal(scenario: string, value: number): Goal {
  const measure = (rows: Row[]) =>
    rows.find(({ peer }) => peer === 'parley')?.rounds.map(({ figures }) => figures?.[P95] ?? Number.NaN)
  return { scenario, text: `p95 at most ${value} ms`, bound: 'at most', value, measure }
}
