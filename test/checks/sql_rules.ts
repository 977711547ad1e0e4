/**
 * The rule that values stand in SQL by the tag `sql` alone (storage/sql/sql.ts). The types refuse a plain text where the
 * product runs a statement; this finds the ways around them. A file that may go one is listed with the reason.
 */
import { basename } from 'node:path'
import type { Source } from './clock_rules.ts'

type Way = { found: RegExp; instead: string; listed: Record<string, string> }

/** `listed`: the reason for each exception, by the name of the file. */
const WAYS: Way[] = [
  {
    found: /\bsql\.raw\(/,
    instead: 'inserts a text as SQL: write it as a fragment',
    listed: {
      'run.ts': 'the statements of migrations are texts',
      'batches.ts': 'the statements of migrations are texts',
      'sealed_places.ts': 'the types of keys are listed there',
      'target.ts': 'PostgreSQL wrote the definitions of the foreign keys',
    },
  },
  {
    found: /(?<![.\w])literal\(/,
    instead: 'quotes by itself: put the value into the tag',
    listed: {
      'sql.ts': 'is the tag',
      'write_set.ts': 'a commit is on the way of every message: its statements are written without fragments',
      'commit_statements.ts': 'a commit is on the way of every message: its statements are written without fragments',
      'python.ts': 'writes Python',
    },
  },
  {
    found: /\.(?:query|execute)(?:<[^`'"()]*>)?\(\s*`[^`]*\$\{/,
    instead: 'runs a plain text with values: put the tag before it',
    listed: {
      'session.ts': 'asks a new connection, with constants alone',
      'ask_connection.ts': 'puts settings before a statement',
    },
  },
  {
    found: /\bgetConnection\(\)/,
    instead: 'goes past the types of `execute`',
    listed: { 'database.ts': 'is what the types are of' },
  },
]

/** Returns one sentence for each way around the tag in a file that is not listed, and for each entry that is not needed. */
export function sqlViolations(sources: readonly Source[], ways: readonly Way[] = WAYS): string[] {
  return ways.flatMap(({ found, instead, listed }) => {
    const files = sources.filter(({ text }) => found.test(text)).map(({ file }) => file)
    const needed = new Set(files.map((file) => basename(file)))
    return [
      ...files.filter((file) => !Object.hasOwn(listed, basename(file))).map((file) => `${file} ${instead}`),
      ...Object.keys(listed)
        .filter((name) => !needed.has(name))
        .map((name) => `${name} is listed (${listed[name]}), and has nothing of the kind: take it off the list`),
    ]
  })
}
