/**
 * `npm run test:compat [-- words]`: tests against every supported nats-server, alone and as a cluster of three, and
 * both ends of the supported PostgreSQL versions. Words choose combinations by parts of their names: `2.10`, `cluster`,
 * `postgres15`. The run fetches the servers once, and takes about half an hour in all.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgresBinaries } from '../../runtime/servers/postgres.ts'
import { type Combination, combinations, environmentOf, testsOf } from './combinations.ts'

type Result = { nats: string; servers: string; postgres: string; passed: number; failed: number; seconds: number }

const root = fileURLToPath(new URL('../..', import.meta.url))
const words = process.argv.slice(2)
const chosen = combinations.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
if (chosen.length === 0) throw new Error(`no combination is called ${words.join(' or ')}`)

/** The file for the figures that tests measure. */
const figures = join(tmpdir(), `parley-figures-${process.pid}`)
const results: Result[] = []
for (const combination of chosen) results.push(await runOne(combination))
printTable(results)
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const failed = results.reduce((sum, result) => sum + result.failed, 0)
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)

async function runOne(combination: Combination): Promise<Result> {
  const env = await environmentOf(combination)
  const began = Date.now()
  process.stdout.write(`\n${combination.name}\n`)
  const output = await runTests(globSync(testsOf(combination), { cwd: root }).sort(), env)
  // The last line is the verdict. Without one the run broke off, which is a failure too.
  const verdict = /(\d+) passed, (\d+) failed\s*$/.exec(output)
  const [passed = 0, failed = 1] = verdict?.slice(1).map(Number) ?? []
  const seconds = Math.round((Date.now() - began) / 1000)
  if (failed > 0) process.stdout.write(output)
  process.stdout.write(takeFigures())
  process.stdout.write(`${combination.name}: ${passed} passed, ${failed} failed in ${seconds} s\n`)
  return {
    nats: versionOf(env.PARLEY_NATS_SERVER),
    servers: combination.servers === 1 ? 'one' : `cluster of ${combination.servers}, ${combination.servers} replicas`,
    postgres: versionOf(join(env.PARLEY_TEST_POSTGRES_BIN ?? postgresBinaries(), 'postgres')),
    passed,
    failed,
    seconds,
  }
}

function runTests(files: string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ['test/run/run_tests.ts', ...files], {
    cwd: root,
    // Three servers of a kind need more time on a small machine.
    env: { ...process.env, ...env, PARLEY_TEST_FIGURES: figures, TAP_TIMEOUT: '600' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}

function takeFigures(): string {
  if (!existsSync(figures)) return ''
  const text = readFileSync(figures, 'utf8')
  rmSync(figures)
  return text.replaceAll(/^/gm, '  ').trimEnd().concat('\n')
}

function versionOf(program: string): string {
  return /\d+(\.\d+)+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown'
}

function printTable(rows: Result[]): void {
  const lines = rows.map(({ nats, servers, postgres, passed, failed, seconds }) =>
    [nats, servers, postgres, passed, failed, seconds].join(' | '),
  )
  process.stdout.write(
    '\n| nats-server | servers | PostgreSQL | passed | failed | seconds |\n|---|---|---|---|---|---|\n',
  )
  for (const line of lines) process.stdout.write(`| ${line} |\n`)
}
