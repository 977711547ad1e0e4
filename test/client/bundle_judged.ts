/** The parts of the client that a bundler keeps. `npm run test:client` runs this, with the bundler of Bun. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tempDir } from '../support/mod.ts'
import { installClient } from './package.ts'

const folder = tempDir(t)
installClient(folder)
const { bun } = JSON.parse(process.env.PARLEY_TEST_RUNTIMES!) as { bun: string[] }

/** The smallest file that runs the program. */
function bundled(program: string): string {
  const file = join(folder, 'program.js')
  const bundle = join(folder, 'bundle.js')
  writeFileSync(file, program)
  execFileSync(bun[0]!, ['build', file, '--minify', `--outfile=${bundle}`])
  return readFileSync(bundle, 'utf8')
}

/** The first part of each path of the API in the text. */
const paths = (text: string) => [...new Set(text.match(/\/v1\/\w+/g) ?? [])].sort()

t.test('a program with one group of operations has no others', (t) => {
  const whole = bundled("import { Parley } from '@parley/client'\nawait new Parley({ base_url: '' }).contacts.get('a')")
  t.ok(paths(whole).length > 10, 'the whole client has all')
  const one = bundled(
    "import { Connection, ContactsApi } from '@parley/client'\nawait new ContactsApi(new Connection({ base_url: '' })).get('a')",
  )
  t.strictSame(paths(one), ['/v1/contacts'])
  t.ok(one.length < whole.length / 2, `${one.length} of ${whole.length} characters`)
  t.end()
})

t.test('a receiver of webhooks has no operations', (t) => {
  const receiver = bundled(
    "import { verifyWebhook } from '@parley/client'\nawait verifyWebhook('', {}, { secret: 'whsec_eA==' })",
  )
  t.strictSame(paths(receiver), [])
  t.notMatch(receiver, /fetch|Idempotency/i)
  t.comment(`${receiver.length} characters`)
  t.end()
})
