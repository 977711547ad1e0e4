/**
 * `npm test [-- files]`: the checks, then all test files against one PostgreSQL and one nats-server of this run.
 * Ends with the line `N passed, N failed` and leaves no process; a process that outlives the tests is a failure.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printChecks, root, runChecks } from './checks.ts'
import { startTestServers } from './test_servers.ts'

const SLOWEST = 12
const files = process.argv.slice(2)
const work = mkdtempSync(join(tmpdir(), 'parley-run-'))
let child: ReturnType<typeof spawn> | null = null
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true
    child?.kill(signal)
  })
}

const [checks, servers] = await Promise.all([
  files.length > 0 ? [] : runChecks(),
  startTestServers(join(work, 'servers')),
])
printChecks(checks)
const tests = interrupted ? { passed: 0, failed: 0 } : await runTap(servers)
await servers.stop()
const stragglers = endStragglers()
rmSync(work, { recursive: true, force: true })

const passed = tests.passed + checks.filter((check) => check.passed).length
const failed = tests.failed + checks.filter((check) => !check.passed).length + stragglers + (interrupted ? 1 : 0)
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)

async function runTap({ database_url, nats_url }: { database_url: string; nats_url: string }) {
  const record = join(work, 'tests.tap')
  const args = [
    'node_modules/.bin/tap',
    'run',
    `--output-file=${record}`,
    `--reporter=${process.stdout.isTTY ? 'base' : 'min'}`,
  ]
  child = spawn(process.execPath, [...args, ...files], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...withoutSettings(process.env),
      PARLEY_TEST_DATABASE_URL: database_url,
      PARLEY_TEST_NATS_URL: nats_url,
      TMPDIR: work,
      // A run starts a few hundred Node processes that load the same modules.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
    },
  })
  const code = await new Promise((resolve) => child?.once('close', resolve))
  const { pass = 0, fail = 0 } = readSummary(record)
  if (files.length === 0) printSlowest(record)
  // A run that failed without a failed test (a crash, a time-out, no summary) still counts.
  return { passed: pass, failed: Math.max(fail, code === 0 ? 0 : 1) }
}

/** Tests say what they set: the settings of whoever runs them stay outside. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = (name: string) =>
    name === 'DATABASE_URL' || name === 'NATS_URL' || /^PARLEY_(?!NATS_SERVER$|TEST_)/.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours(name)))
}

/** tap closes its record with a comment such as `# { total: 12, pass: 11, fail: 1 }`. */
function readSummary(record: string): { pass?: number; fail?: number } {
  const summary =
    readFileSync(record, 'utf8')
      .match(/^# \{ (total: .*) \}$/gm)
      ?.at(-1) ?? ''
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
  return { pass: count('pass'), fail: count('fail') }
}

/** Where the time of the run went: files, by the seconds they took beside each other. */
function printSlowest(record: string): void {
  const times = readFileSync(record, 'utf8').matchAll(/^(?:not )?ok \d+ - (test\/\S+) # time=([\d.]+)(ms|s)/gm)
  const seconds = [...times].map(([, file, time, unit]) => ({ file, s: Number(time) / (unit === 's' ? 1 : 1000) }))
  const slowest = seconds.sort((a, b) => b.s - a.s).slice(0, SLOWEST)
  const list = slowest.map(({ file, s }) => `  ${s.toFixed(0).padStart(3)} s  ${file}`)
  process.stdout.write(`\nslowest files:\n${list.join('\n')}\n`)
}

/** Ends and names every process that still carries this run's directory in its command or environment. */
function endStragglers(): number {
  if (process.platform !== 'linux') return 0
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = pids.filter((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some(mentionsWork))
  for (const pid of found) {
    process.stdout.write(`left running: ${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}\n`)
    process.kill(Number(pid), 'SIGKILL')
  }
  return found.length
}

function mentionsWork(path: string): boolean {
  return textOf(path).includes(work)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
