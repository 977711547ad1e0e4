/**
 * The rule that every regular expression of the product takes linear time: one text of a stranger must not hold a node.
 * An exception is listed here with the reason why no stranger can use it. recheck judges, with its native program where
 * the machine has one. What it judged linear is recorded in `linear_expressions.json`, so that only new expressions are
 * judged; a run that meets new ones adds them, to be committed with the change.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { transform } from 'esbuild'
import { check, type Diagnostics } from 'recheck'
import { type Found, regularExpressionsIn } from './regular_expressions.ts'

export type Expression = Pick<Found, 'source' | 'flags'> & { places: string[] }

/** Expressions that take longer than linear time or are too hard to judge, and that no stranger can use. By pattern. */
const LISTED: Record<string, string> = {
  '/\\/+$/': 'base addresses are settings of the operator',
  '/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g': 'certificates are files of the operator',
  '/\\/\\/(.*)@/': 'parley config shows settings of the operator',
  '/\\b(password|passfile|sslkey|sslpassword)=[^&]*/gi': 'parley config shows settings of the operator',
  '/(.{1,120})(?:\\s+|$)/g': 'the reference is folded from our own descriptions',
  '/(\\d+\\.\\d+)/': 'PostgreSQL says its version',
  '/^recipients\\.(\\d+)(?:\\.variables)?\\.?(.*)$/': 'paths in errors are made by our own API',
  '/:(require_fields|assign_to|add_tag_ids|close_with|set_fields\\.[^=;]+)=/': 'stages are typed at the command line',
  '/^# HELP (\\S+).*\\n# TYPE .*\\n/': 'nodes write their own metrics',
  '/^parley_node_info\\{[^}]*port="x"/m': 'nodes write their own metrics',
  '/.*\\/(.+?)\\./': 'the simulator gets what a test sends',
  '/(!?)\\[([^\\]]*)\\]\\(([^)\\s]+)\\)/g': 'guides come with the release',
  '/[._/-]+$/': 'guides come with the release',
  '/^(```[\\s\\S]*?^```)$/m': 'guides come with the release',
  '/`(?:[^`\\\\]|\\\\.)*`/': 'samples come with the release',
  '/"(?:[^"\\\\\\n]|\\\\.)*"/': 'samples come with the release',
  '/"(?:[^"\\\\]|\\\\.)*"|\'[^\']*\'/': 'samples come with the release',
  '/"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'/': 'samples come with the release',
  '/[({][^)}]*[)}]/g': 'the simulator gets what a test sends',
}

/** Milliseconds to judge one expression. An idle machine takes less than a second. */
const PATIENCE_MS = 60_000
/** The judge counts steps. With limits of time it would find other texts, and faults that are none, on a busy machine. */
const BY_STEPS = { incubationTimeout: null, seedingTimeout: null, attackTimeout: null }
/** Milliseconds after which the judge is taken for dead. */
const SILENCE_MS = 2 * PATIENCE_MS
const RECORD = 'test/checks/linear_expressions.json'

const spelled = ({ source, flags }: Pick<Found, 'source' | 'flags'>) => `/${source}/${flags}`

/** Reads all expressions of the product, each once. */
async function readExpressions(root: string): Promise<Expression[]> {
  const found = new Map<string, Expression>()
  for (const file of globSync('{http,actors,runtime,storage}/**/*.{ts,tsx,mjs}', { cwd: root })) {
    for (const { line, source, flags } of regularExpressionsIn(await readSource(join(root, file)))) {
      const key = spelled({ source, flags })
      const expression = found.get(key) ?? { source, flags, places: [] }
      expression.places.push(`${file}:${line}`)
      found.set(key, expression)
    }
  }
  return [...found.values()]
}

/** Markup becomes calls: its texts look like code. The lines of such a file are then other ones. */
async function readSource(path: string): Promise<string> {
  const text = readFileSync(path, 'utf8')
  return path.endsWith('.tsx') ? (await transform(text, { loader: 'tsx', jsx: 'automatic' })).code : text
}

/**
 * Returns one sentence for each expression that is neither linear nor listed, and for each listed one that does not
 * exist.
 */
export async function expressionViolations(
  expressions: Expression[],
  listed: Record<string, string>,
  cache = new Set<string>(),
): Promise<string[]> {
  const there = new Set(expressions.map(spelled))
  const stale = Object.keys(listed).filter((key) => !there.has(key))
  const broken = stale.map((key) => `${key} is listed, and nowhere to be found: take it off the list`)
  const queue = expressions.filter((one) => !(spelled(one) in listed) && !cache.has(spelled(one)))
  const suspects: Expression[] = []
  /** Returns undefined when the expression is linear. */
  const judge = async (one: Expression): Promise<string | undefined> => {
    const verdict = await verdictOn(one)
    if (verdict.status === 'safe') cache.add(spelled(one))
    else return (verdict.status === 'vulnerable' && verdict.complexity.summary) || 'too long to judge'
    return undefined
  }
  const lane = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) if (await judge(next)) suspects.push(next)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, lane))
  // Beside the others, the time of an expression may be up on a busy machine. It is judged again, alone.
  for (const one of suspects) {
    const summary = await judge(one)
    if (summary) broken.push(`${one.places.join(', ')}: ${spelled(one)} takes ${summary}`)
  }
  return broken
}

/** The native program may end without an answer. The same judge in JavaScript then takes its place, which is slower. */
async function verdictOn({ source, flags }: Expression): Promise<Diagnostics> {
  const ask = () => check(source, flags, { ...BY_STEPS, timeout: PATIENCE_MS })
  const silence = new AbortController()
  const dead = sleep(SILENCE_MS, undefined, { signal: silence.signal }).catch(() => undefined)
  const verdict = await Promise.race([ask(), dead])
  silence.abort()
  if (verdict !== undefined) return verdict
  process.env.RECHECK_BACKEND = 'worker'
  return ask()
}

/** Checks the product, and records every linear expression by pattern and version of the judge. */
export async function checkExpressions(root: string): Promise<string[]> {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/recheck/package.json'), 'utf8'))
  const path = join(root, RECORD)
  const expressions = await readExpressions(root)
  const text = readFileSync(path, 'utf8')
  const recorded = JSON.parse(text) as { judge: string; linear: string[] }
  const linear = new Set(recorded.judge === version ? recorded.linear : [])
  const broken = await expressionViolations(expressions, LISTED, linear)
  const kept = expressions
    .map(spelled)
    .filter((key) => linear.has(key))
    .sort()
  const updated = `${JSON.stringify({ judge: version, linear: kept }, null, 2)}\n`
  if (updated !== text) writeFileSync(path, updated)
  return broken
}
