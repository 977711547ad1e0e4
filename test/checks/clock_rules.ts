/**
 * The rule that the product does not read the wall clock of its machine. Moments come from the database (`now` and
 * `newDate` of storage/mod.ts), and durations from `performance.now()`. A file that needs the wall clock is listed
 * here.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The reason for each exception, by file or folder. */
const LISTED: Record<string, string> = {
  'storage/values/time.ts': 'before the first sample there is no other clock',
  'runtime/bootstrap.mjs': 'runs before there is anything to import',
  'runtime/servers/': 'starts the servers that have the clock',
  'http/client/webhook.ts': 'runs in the programs of others, where their clock counts',
  'http/cli/': 'commands have no database; where people type, their own clock counts',
  'http/simulator/': 'stands for providers, who have clocks of their own',
  'runtime/time/clock.ts': 'compares it with the monotonic clock, to notice that the machine slept',
}

const WALL_CLOCK = /\bDate\.now\b|\bnew Date(?:\(\s*\)|(?![\w(]))|(?<!new )\bDate\(/

export type Source = { file: string; text: string }

/**
 * Returns one sentence for each line that reads the wall clock in a file that is not listed, and for each entry that is
 * not needed.
 */
export function clockViolations(sources: Source[], listed: Record<string, string> = LISTED): string[] {
  const needed = new Set<string>()
  const broken = sources.flatMap(({ file, text }) => {
    const entry = Object.keys(listed).find((path) => file === path || (path.endsWith('/') && file.startsWith(path)))
    return text.split('\n').flatMap((line, at) => {
      if (!WALL_CLOCK.test(line)) return []
      if (entry === undefined) return [`${file}:${at + 1} looks at the wall clock: take now() or performance.now()`]
      needed.add(entry)
      return []
    })
  })
  const stale = Object.keys(listed).filter((path) => !needed.has(path))
  return [...broken, ...stale.map((path) => `${path} is listed, and looks at no wall clock: take it off the list`)]
}

/** Reads the files of the product that Node runs. Browsers run the pages. */
export function readSources(root: string): Source[] {
  const files = globSync('{http,actors,runtime,storage}/**/*.{ts,mjs}', { cwd: root, exclude: ['http/*/page/**'] })
  return files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}
