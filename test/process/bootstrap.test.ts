import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import t from 'tap'
import { natsBinary } from '../../runtime/servers/nats.ts'
import { type Owner, tempDir } from '../support/mod.ts'

const root = new URL('../..', import.meta.url).pathname

/** Makes a clone with an empty lock file, installed or not, and a PATH that holds nothing but node. */
function clone(t: Owner, { installed }: { installed: boolean }) {
  const directory = tempDir(t)
  for (const made of ['runtime', 'node_modules/.bin', 'path', 'cache'])
    mkdirSync(join(directory, made), { recursive: true })
  for (const name of ['bootstrap.mjs', 'unneeded.mjs'])
    copyFileSync(join(root, 'runtime', name), join(directory, 'runtime', name))
  const lock = { name: 'clone', lockfileVersion: 3, packages: { '': { dependencies: { 'a-package': '1.0.0' } } } }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'clone', ...lock.packages[''] }))
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock))
  if (installed) writeFileSync(join(directory, 'node_modules/.package-lock.json'), JSON.stringify(lock))
  for (const place of ['node_modules/.bin', 'path']) symlinkSync(process.execPath, join(directory, place, 'node'))
  const run = (purpose: string, env: NodeJS.ProcessEnv = {}) => {
    const PATH = join(directory, 'path')
    const result = spawnSync(process.execPath, [join(directory, 'runtime/bootstrap.mjs'), purpose], {
      env: { PATH, HOME: directory, XDG_CACHE_HOME: join(directory, 'cache'), ...env },
      encoding: 'utf8',
    })
    return { status: result.status, stdout: result.stdout, stderr: result.stderr }
  }
  const stamp = () => JSON.parse(readFileSync(join(directory, 'node_modules/.parley-setup.json'), 'utf8'))
  return { directory, run, stamp }
}

t.test('a complete installation makes the set-up silent and needs no network', (t) => {
  const env = { PATH: '/nonexistent', HOME: '/nonexistent' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['runtime/bootstrap.mjs', 'development'], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  t.strictSame({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
  t.end()
})

t.test('packages that npm already installed are found, and nats-server on the PATH is remembered', (t) => {
  const { directory, run, stamp } = clone(t, { installed: true })
  symlinkSync(natsBinary(), join(directory, 'path/nats-server'))
  t.strictSame(run('serve'), { status: 0, stdout: '', stderr: '' })
  t.match(stamp(), { development: true, nats_server: join(directory, 'path/nats-server') })
  t.strictSame(
    run('development', { PATH: '' }),
    { status: 0, stdout: '', stderr: '' },
    'the second time it looks for nothing',
  )
  t.end()
})

t.test('a node of a cluster needs no nats-server', (t) => {
  const { run, stamp } = clone(t, { installed: true })
  t.strictSame(run('serve', { NATS_URL: 'nats://one:4222' }), { status: 0, stdout: '', stderr: '' })
  t.equal(stamp().nats_server, undefined)
  t.end()
})

t.test('a missing part is told in one sentence with its remedy', (t) => {
  const sentence = (stderr: string) => stderr.trim().split('\n').at(-1)
  const fresh = clone(t, { installed: false })
  const without_npm = fresh.run('serve')
  t.equal(without_npm.status, 1)
  t.equal(sentence(without_npm.stderr), 'npm is missing: install it (Debian: `apt-get install npm`) and try again.')
  const offline = fresh.run('serve', {
    PATH: process.env.PATH,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
  })
  t.equal(offline.status, 1)
  t.match(sentence(offline.stderr), /^The npm registry cannot be reached: .* try again\.$/)
  const wrong_broker = clone(t, { installed: true }).run('serve', { PARLEY_NATS_SERVER: process.execPath })
  t.equal(wrong_broker.status, 1)
  t.match(sentence(wrong_broker.stderr), /^PARLEY_NATS_SERVER names .* not a nats-server 2\.9 or newer: .*\.$/)
  for (const { stderr } of [without_npm, offline, wrong_broker]) t.notMatch(stderr, /^\s+at /m, 'no stack')
  t.end()
})

t.test('scripts of packages run for those that package.json allows, and are off for all others', (t) => {
  const { directory, run } = clone(t, { installed: false })
  const pack = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const allowScripts = { 'a-package': true, 'for-another-machine': true }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...pack, allowScripts }))
  const npm = '#!/bin/sh\necho "$*" >> calls\nmkdir -p node_modules/a-package node_modules/b-package\n'
  writeFileSync(join(directory, 'path/npm'), npm, { mode: 0o755 })
  const PATH = [join(directory, 'path'), '/usr/bin', '/bin'].join(delimiter)
  const { status, stderr } = run('serve', { PATH, NATS_URL: 'nats://one:4222' })
  t.equal(status, 0, stderr)
  const [install, rebuild, ...more] = readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n')
  t.match(install, /^install .*--ignore-scripts(?!=false)/)
  t.match(rebuild, /^rebuild .*--ignore-scripts=false.* a-package$/)
  t.strictSame(more, [])
  t.end()
})

t.test('a set-up for production keeps only what its own Node loads, and an upgrade brings whole packages', (t) => {
  const { directory, run, stamp } = clone(t, { installed: false })
  const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
  const shipped = [
    `uWebSockets.js/dist/bin/${binary}`,
    'uWebSockets.js/dist/bin/uws_win32_x64_108.node',
    'pdfjs-dist/package.json',
    'pdfjs-dist/build/pdf.mjs',
    'typescript/package.json',
  ]
  // Brings only packages that are missing, like npm.
  const npm = `#!/bin/sh
cp package-lock.json node_modules/.package-lock.json
for package in uWebSockets.js pdfjs-dist typescript; do
  [ -d node_modules/$package ] && continue
  for file in ${shipped.join(' ')}; do
    case $file in $package/*) mkdir -p node_modules/\${file%/*} && echo > node_modules/$file;; esac
  done
done
`
  writeFileSync(join(directory, 'path/npm'), npm, { mode: 0o755 })
  const PATH = [join(directory, 'path'), '/usr/bin', '/bin'].join(delimiter)
  const present = () => shipped.filter((file) => existsSync(join(directory, 'node_modules', file)))
  const lock_with = (changes: object) => {
    const packages = { 'node_modules/a-tool': { version: '1.0.0', dev: true }, ...changes }
    writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
  }
  const install = (purpose: string) => {
    const { status, stderr } = run(purpose, { PATH, NATS_URL: 'nats://one:4222', PARLEY_NATS_SERVER: natsBinary() })
    t.equal(status, 0, stderr)
  }

  lock_with({})
  // The tool of developers stays away.
  writeFileSync(
    join(directory, 'path/npm'),
    npm.replace('cp package-lock.json', 'sed s/a-tool/b-tool/ package-lock.json >'),
    { mode: 0o755 },
  )
  install('serve')
  t.strictSame(present(), [shipped[0], shipped[2]])
  t.match(stamp(), { development: false, cut: ['uWebSockets.js', 'pdfjs-dist'] })

  lock_with({ 'node_modules/a-package': { version: '2.0.0' } })
  install('serve')
  t.strictSame(present(), [shipped[0], shipped[2]], 'the next release is cut as well')

  writeFileSync(join(directory, 'path/npm'), npm, { mode: 0o755 })
  install('development')
  t.strictSame(present(), shipped, 'a developer gets all')
  t.match(stamp(), { development: true })
  t.equal(stamp().cut, undefined)
  t.end()
})

t.test('npm scripts leave no process of the set-up in between', (t) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of ['start', 'test', 'check', 'bench']) {
    t.match(
      scripts[name],
      /^node runtime\/bootstrap\.mjs (serve|development) && ([A-Z_]+=\S+ )*exec node_modules\/\.bin\/node \S+\.ts$/,
      name,
    )
  }
  t.end()
})
