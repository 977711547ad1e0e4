/** The inside of a `TestProcess`: runs each file that it is sent as a subtest, so `t` of a file ends with the file. */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { Base, Test, TestBase } from 'tap'
import { root } from '../support/root.ts'
import { takeDrifts, watchFetch } from '../support/watched_fetch.ts'
import { beginToWatchLeaks, leftChanged, leftOpen } from './leaks.ts'

/** Milliseconds a file may take before it fails, unless it asks for more with `t.setTimeout`. */
const TIMEOUT_MS = 600_000
const TAP_OF_FILE = new URL('tap_of_file.mjs', import.meta.url).href
/** The addresses of the files that were sent so far. */
const sent = new Set<string>()

/** A test file that imports `tap` gets the test that was made for it; the modules that files share get the root. */
module.registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'tap' || !sent.has(context.parentURL ?? '')) return next(specifier, context)
    return { url: `${TAP_OF_FILE}?${encodeURIComponent(context.parentURL!)}`, shortCircuit: true }
  },
})

declare global {
  /** The test of the file that is running. */
  var testOfFile: Test | undefined
}

// Not before the hooks above.
const { default: t } = await import('tap')

process.on('uncaughtException', (error, origin) => running().hookDomain.onerror(error, origin))

watchFetch()

await t.test('all files', { timeout: 0 }, async (all) => {
  for await (const file of createInterface(process.stdin)) {
    beginToWatchLeaks()
    const cpu = cpuSeconds()
    let counts = { pass: 0, fail: 0 }
    await all.test(file, { timeout: TIMEOUT_MS }, async (t) => {
      counts = t.counts
      globalThis.testOfFile = t
      const address = pathToFileURL(join(root, file)).href
      sent.add(address)
      await import(address)
    })
    globalThis.testOfFile = undefined
    const left = await leftOpen()
    if (left.length > 0) process.stderr.write(`${file} left open after its last test: ${left.join(', ')}\n`)
    const changed = leftChanged()
    if (changed.length > 0) process.stderr.write(`${file} left changed after its last test: ${changed.join(', ')}\n`)
    const drifts = await takeDrifts()
    for (const drift of drifts) process.stderr.write(`${drift}\n`)
    const failed = counts.fail + Number(left.length > 0) + Number(changed.length > 0) + drifts.length
    const result = { passed: counts.pass, failed, cpu_seconds: cpuSeconds() - cpu }
    process.stdout.write(`# end of file: ${JSON.stringify(result)}\n`)
  }
})

/** Seconds of CPU that this process and the processes that it started and that have ended took so far. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + endedChildren()
}

/** From the times of `/proc/self/stat`, in hundredths of a second. Other systems do not tell. */
function endedChildren(): number {
  if (process.platform !== 'linux') return 0
  const [, fields] = readFileSync('/proc/self/stat', 'utf8').split(') ') as [string, string]
  const [user, system] = fields.split(' ').slice(13, 15).map(Number) as [number, number]
  return (user + system) / 100
}

/** The innermost test that runs now. Tests run one after another; `t.jobs` is not used. */
function running(): Base {
  let test: Base = globalThis.testOfFile ?? t
  for (let inner: Base | undefined = test; inner; inner = [...((inner as TestBase).activeSubtests ?? [])].at(-1))
    test = inner
  return test
}
