/**
 * The rule that no text of a stranger reaches a built-in function that takes quadratic time. The product has a function
 * of its own for each (`composed`, `parseUrl`); a file that may call the built-in one is listed here with the reason.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const COSTLY: Record<string, RegExp> = {
  'normalize (use composed)': /\.normalize\(|v\.normalize\(/,
  'URL.parse (use parseUrl)': /\bURL\.(?:parse|canParse)\(/,
  Collator: /\bIntl\.Collator\b/,
}

/** Places of the operator, of our own files, and of programs that run on the operator's or the user's machine. */
const ELSEWHERE = [
  'http/cli/',
  'http/app/',
  'http/simulator/',
  'http/client/',
  'http/docs/',
  'runtime/',
  'storage/backup/',
]

/** The reason for each further exception. */
const LISTED: Record<string, string> = {
  'storage/values/composed_text.ts': 'it is the linear form',
  'actors/outbound/parse_url.ts': 'it is the linear form',
  'actors/schema/composed_text.ts': 'it replaces the action of the library',
  'http/routes/search/highlight.ts': 'it takes one character at a time',
  'storage/knowledge/words.ts': 'its words are cut before',
  'actors/project/contacts/stop_words.ts': 'longer messages are no word',
  'storage/connections/servers.ts': 'the address of the database is a setting',
}

/** One sentence for each call in a file that is not listed, and for each listed file without one. */
export function linearViolations(root: string): string[] {
  const found = new Map<string, string[]>()
  for (const file of globSync('{http,actors,storage}/**/*.ts', { cwd: root, exclude: ['http/*/page/**'] })) {
    if (ELSEWHERE.some((folder) => file.startsWith(folder))) continue
    const text = readFileSync(join(root, file), 'utf8')
    const calls = Object.keys(COSTLY).filter((name) => COSTLY[name]!.test(text))
    if (calls.length > 0) found.set(file, calls)
  }
  const broken = [...found].flatMap(([file, calls]) =>
    file in LISTED ? [] : calls.map((name) => `${file}: ${name} takes quadratic time`),
  )
  const stale = Object.keys(LISTED).filter((file) => !found.has(file))
  return [...broken, ...stale.map((file) => `${file} is listed and has no such call: take it off the list`)]
}
