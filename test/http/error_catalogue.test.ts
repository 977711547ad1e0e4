import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type ErrorCode, errorCatalogue, publicCode } from '../../actors/mod.ts'

const root = new URL('../../', import.meta.url).pathname

/**
 * A refusal, or the error of a command. Other codes of the domain, such as the codes of failed messages, are not API
 * errors.
 */
const IN_DOMAIN = [
  /\b(?:Refusal|refuse)\(\s*'([A-Z][A-Z_]+)'/g,
  /\bresult: \{ error: \{ code: '([A-Z][A-Z_]+)'/g,
  /\berror: \{ code: '([A-Z][A-Z_]+)' \}, replayed/g,
]

/** A failure, or an error that a route documents. */
const IN_HTTP = [
  ...IN_DOMAIN,
  /'([A-Z]+_[A-Z_]+)'\] as const/g,
  /\b(?:code|missing): '([A-Z][A-Z_]+)'/g,
  /\berrors: \[([^\]]*)\]/g,
]

/** The simulator speaks as the providers, and the client and the pages have codes of their own for answers that are not ours. */
const OTHERS = /error_catalogue|^(?:simulator|client|\w+\/page)\//

function codesIn(room: string, uses: RegExp[]): string[] {
  return readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !OTHERS.test(file))
    .map((file) => readFileSync(join(root, room, file), 'utf8'))
    .flatMap((text) => uses.flatMap((use) => [...text.matchAll(use)]))
    .flatMap(([, found]) => found!.match(/[A-Z][A-Z_]+/g) ?? [])
}

t.test('the catalogue holds exactly the codes that the source uses', async (t) => {
  const used = new Set([...codesIn('actors', IN_DOMAIN), ...codesIn('http', IN_HTTP)])
  const known = Object.keys(errorCatalogue)
  t.strictSame(
    [...used].filter((code) => !known.includes(code)),
    [],
    'not in the catalogue',
  )
  t.strictSame(
    known.filter((code) => !used.has(code)),
    [],
    'never used',
  )
})

t.test('an entry that names a code is another case of an existing code', async (t) => {
  for (const [name, { status, ...entry }] of Object.entries(errorCatalogue)) {
    if (!('code' in entry)) continue
    t.not(status, errorCatalogue[entry.code].status, name)
  }
})

t.test('statuses are those of errors and texts are sentences', async (t) => {
  for (const [code, { status, message }] of Object.entries(errorCatalogue)) {
    t.ok(status >= 400 && status < 600, code)
    if (code !== 'UNAUTHENTICATED') t.match(message, /^[A-Z].*\.$/, code)
  }
})

/** The rows of docs/errors.md: by status, then by code. */
function errorRows(): string {
  return (Object.keys(errorCatalogue) as ErrorCode[])
    .map((name) => ({ ...errorCatalogue[name], code: publicCode(name) }))
    .sort((one, other) => one.status - other.status || (one.code < other.code ? -1 : one.code > other.code ? 1 : 0))
    .map(({ status, code, message }) => `| ${status} | \`${code}\` | ${message} |`)
    .join('\n')
}

t.test('docs/errors.md is the table of all codes', async (t) => {
  const page = join(root, 'docs/errors.md')
  const source = readFileSync(page, 'utf8')
  const whole = source.replace(/(\| status \| code \| says \|\n\|---\|---\|---\|\n)(?:\|.*\|\n)*/, `$1${errorRows()}\n`)
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(page, whole)
  else t.equal(source, whole, 'run `TAP_SNAPSHOT=1 npm test -- test/http/error_catalogue.test.ts` to write it again')
})
