/**
 * Patterns that make a test depend on the speed of the machine or on other tests. CONTRIBUTING.md has the rule and the
 * tool for each.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Source } from './clock_rules.ts'

/** Milliseconds that a file has, and that `eventually` waits (`test/run/run_in_process.ts`, `test/e2e/client.ts`). */
const FILE_MS = 600_000
const PATIENCE_MS = 120_000
/** Milliseconds below which a busy machine may miss an upper bound. */
const BUSY_MS = 10_000

type Rule = {
  pattern: RegExp
  /** False for a number that does no harm. */
  isBroken?: (number: number) => boolean
  text: string
}

const RULES: Rule[] = [
  {
    pattern: /\bt\.setTimeout\(\s*([\d_]+)/,
    isBroken: (ms) => ms > 0 && ms < FILE_MS,
    text: 'sets a deadline below that of its file: leave it out',
  },
  {
    pattern: /\bt\.test\([^\n]*\btimeout: *([\d_]+)/,
    isBroken: (ms) => ms > 0 && ms < FILE_MS,
    text: 'sets a deadline below that of its file: leave it out',
  },
  {
    pattern: /\beventually\([^\n]*, *([\d_]+)\)/,
    isBroken: (ms) => ms < PATIENCE_MS,
    text: 'waits for less than `eventually` does by itself: leave the number out',
  },
  {
    pattern: /\.listen\(\s*(?:\{ *port: *)?([\d_]+)/,
    isBroken: (port) => port !== 0,
    text: 'listens on a fixed port: listen on 0, or take a port from freePort()',
  },
  {
    pattern: /\bt\.ok\([^\n]*(?:performance\.now|Date\.now)\(\) *- *\w+ *<=? *([\d_]+)/,
    isBroken: (ms) => ms < BUSY_MS,
    text: 'expects an end within a time: wait for the event, and compare what it says',
  },
  {
    pattern: /\bpg_(?:terminate|cancel)_backend\(pid\)(?![^;]*(?:datname|current_database|pg_locks))/,
    text: 'ends sessions of other databases: name the database',
  },
  {
    pattern: /from pg_locks where(?!.*(?:datname|current_database|relation|pid))/,
    text: 'looks at the locks of all databases: name the database',
  },
  {
    // The policy of the pages lets a text be evaluated in the first look only.
    pattern: /\.waitForFunction\(/,
    text: 'fails where the first look finds nothing: use `eventually` with `page.evaluate`',
  },
]

/** Returns one sentence for each line with such a pattern. */
export function steadyViolations(sources: readonly Source[]): string[] {
  return sources.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, at) =>
      RULES.flatMap(({ pattern, isBroken = () => true, text }) => {
        const [found, number] = pattern.exec(line) ?? []
        if (found === undefined || !isBroken(Number(number?.replaceAll('_', '')))) return []
        return [`${file}:${at + 1} ${text}`]
      }),
    ),
  )
}

/** Reads the test files and their helpers. */
export function readTests(root: string): Source[] {
  const files = globSync(
    'test/{actors,cli,console,docs,e2e,http,inputs,runtime,simulator,sockets,storage,process}/**/*.ts',
    {
      cwd: root,
    },
  )
  return files
    .filter((file) => !file.endsWith('steady_rules.test.ts'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}
