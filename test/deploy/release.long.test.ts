/** The files of a release beside the image, which has a test of its own. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { releaseFiles } from '../../deploy/release/files.ts'
import { emptyDatabaseUrl, tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const TIME = 1_700_000_000
const files = releaseFiles(root, version, TIME)
const folder = tempDir(t)
for (const { name, content } of files) writeFileSync(join(folder, name), content)
const named = (end: string) => files.find(({ name }) => name.endsWith(end))!.name
const listed = (name: string) =>
  execFileSync('tar', ['-tzf', join(folder, name)], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
const gitFiles = (path: string) =>
  execFileSync('git', ['ls-files', path], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

t.test('one commit makes the same bytes', async (t) => {
  for (const [at, { name, content }] of releaseFiles(root, version, TIME).entries()) {
    t.equal(name, files[at]!.name)
    t.ok(content.equals(files[at]!.content), name)
  }
})

t.test('the chart is whole, with the alert rules in place of a link', async (t) => {
  const found = listed(`parley-${version}.tgz`).filter((path) => !path.endsWith('/'))
  t.strictSame(
    found.sort(),
    gitFiles('deploy/chart')
      .map((path) => path.replace('deploy/chart', 'parley'))
      .sort(),
  )
  const rules = execFileSync('tar', ['-xzOf', join(folder, `parley-${version}.tgz`), 'parley/files/alerts.yaml'])
  t.ok(rules.equals(readFileSync(join(root, 'deploy/monitoring/alerts.yaml'))))
})

t.test('programs of the compose set stay programs', async (t) => {
  const compose = named('-compose.tar.gz')
  const modes = execFileSync('tar', ['-tvzf', join(folder, compose)], { encoding: 'utf8' })
  for (const path of gitFiles('deploy/compose')) t.match(modes, path.slice('deploy/compose'.length))
})

t.test('the changes are those of the version', async (t) => {
  const text = readFileSync(join(folder, named('.changes.md')), 'utf8')
  t.match(text, `# Parley ${version}\n`)
  t.match(text, /^### Added$/m)
  t.notMatch(text, /^## /m)
})

t.test('the server makes its tables from what is in the archive', async (t) => {
  const home = tempDir(t)
  execFileSync('tar', ['-xzf', join(folder, named(`${version}.tar.gz`)), '-C', home])
  const unpacked = join(home, `parley-${version}`)
  for (const path of ['deploy/systemd/parley.service', 'nats.conf', 'package-lock.json']) {
    t.ok(readFileSync(join(unpacked, path)).length > 0, path)
  }
  // The packages are the same. A test of the set-up installs them.
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'))
  const url = await emptyDatabaseUrl(t)
  const { status, stderr } = spawnSync(process.execPath, [join(unpacked, 'http/cli/parley.ts'), 'migrate'], {
    env: { ...process.env, DATABASE_URL: url, PARLEY_SECRET: 'x'.repeat(32) },
    encoding: 'utf8',
  })
  t.equal(status, 0, stderr)
})

t.test('the client is installed from its package, with types', async (t) => {
  const home = tempDir(t)
  mkdirSync(join(home, 'client'))
  execFileSync('tar', ['-xzf', join(folder, named('client-0.1.0.tgz')), '-C', join(home, 'client')])
  const { exports, version: own } = JSON.parse(readFileSync(join(home, 'client/package/package.json'), 'utf8'))
  t.equal(own, version)
  t.ok(exports)
  t.ok(listed(named('client-0.1.0.tgz')).some((path) => path.endsWith('.d.ts')))
})
