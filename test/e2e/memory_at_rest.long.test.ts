/** The memory of a node that nobody uses, as Linux counts it, and the packages that it has loaded by then. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { startKillable } from './killable.ts'

/**
 * PSS in MiB. A node of a test takes 100 to 130 after V8 has collected all garbage, depending on how many processes share
 * the program of Node.js with it. Something that doubles its own memory is found.
 */
const MAX = 185

/** Loaded by the first request that needs them. */
const LATE = [
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@modelcontextprotocol/server',
  'bson',
  'commander',
  'eld',
  'file-type',
  'html-to-text',
  'jschardet',
  'iconv-lite',
  'nodemailer',
  'parse5',
  'unpdf',
]

/** Collects garbage on a signal, as V8 does by itself after a minute of rest, then says which packages were loaded. */
const REPORT = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
      if (name) packages.add(name)
      return next(url, context)
    },
  })
  process.on('SIGUSR2', () => {
    gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    process.stdout.write('packages ' + JSON.stringify([...packages]) + '\\n')
  })`
const FLAGS = ['--expose-gc', `--import=data:text/javascript,${encodeURIComponent(REPORT)}`]

t.test('a node at rest is small and has loaded nothing early', async (t) => {
  // From its sources, as an installation runs it: a bundle of a whole run has no packages.
  const env = () => ({ MALLOC_ARENA_MAX: '1', NODE_OPTIONS: '' })
  const world = await startKillable(t, { flags: FLAGS, env })
  const { pid, line } = world.process()
  process.kill(pid, 'SIGUSR2')
  const packages = JSON.parse((await line(/^packages /)).slice('packages '.length)) as string[]
  t.ok(packages.includes('undici'), 'the packages were seen')
  t.same(
    LATE.filter((name) => packages.includes(name)),
    [],
  )
  const mib = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1]) / 1024
  t.ok(mib < MAX, `${mib.toFixed(0)} MiB`)
})

t.test('all packages that are loaded late can be loaded', async (t) => {
  const own = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).dependencies
  for (const name of LATE) t.ok(name in own, `${name} is a dependency`)
  for (const name of LATE) await t.resolves(import(name), name)
})
