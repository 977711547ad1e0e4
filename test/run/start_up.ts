/**
 * Makes the start of a process cheap: a test run starts several hundred processes, and each of them would load some two
 * thousand modules, which takes more than a second of a core.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from '../support/root.ts'
import { keepDraft } from './cache.ts'

const OURS = ['actors', 'http', 'runtime', 'storage', 'test']
/** The descriptions of the APIs, in the directory of the bundles. */
const DESCRIBED = 'described'
/** Milliseconds after which the bundles of other sources are removed. A run that uses them has ended by then. */
const KEPT_MS = 6 * 3600 * 1000

/**
 * Strips the types from all our modules, as Node would do in each process, and keeps the code that V8 has compiled. A
 * `long` run also joins the modules of each program and describes the APIs, which takes some seconds of a core. `cache`
 * keeps all of it for later runs; only what changed since is made anew. A changed test leaves the programs as they are, so
 * the next run of a single file starts its node from them.
 */
export async function prepareStartUp(cache: string, long: boolean): Promise<Record<string, string>> {
  const modules = OURS.flatMap(modulesIn)
  stripTypes(modules, join(cache, 'stripped'))
  const bundled = join(cache, `bundled_${keyOf(modules.filter(({ name }) => !name.endsWith('.test.ts')))}`)
  const hook = pathToFileURL(join(root, 'test/run/run_prepared.mjs'))
  hook.searchParams.set('stripped', join(cache, 'stripped'))
  const env = () => ({
    NODE_OPTIONS: `--import=${hook.href}`,
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
  })
  if (long && !existsSync(bundled)) await bundle(modules, cache, bundled, env())
  if (!existsSync(bundled)) return env()
  hook.searchParams.set('bundled', bundled)
  return { ...env(), PARLEY_TEST_DESCRIBED: join(bundled, DESCRIBED) }
}

type Module = { name: string; modified: Date; size: number }

function modulesIn(ours: string): Module[] {
  const names = readdirSync(join(root, ours), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const { mtime, size } = statSync(join(root, ours, name))
      return { name: join(ours, name), modified: mtime, size }
    })
}

function keyOf(modules: readonly Module[]): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const { name, modified, size } of modules) hash.update(`${name} ${modified.getTime()} ${size}\n`)
  return hash.digest('hex').slice(0, 16)
}

function stripTypes(modules: readonly Module[], directory: string): void {
  // Node warns that this is experimental. No run needs the warning, because the lock file pins the version of Node.
  const { emitWarning } = process
  process.emitWarning = () => {}
  mkdirSync(directory, { recursive: true })
  const names = new Set(modules.map(({ name }) => name))
  // An import of a module that is gone must fail.
  for (const old of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    if (old.endsWith('.ts') && !names.has(old)) rmSync(join(directory, old))
  for (const { name, modified } of modules) {
    const target = join(directory, name)
    if (statSync(target, { throwIfNoEntry: false })?.mtime.getTime() === modified.getTime()) continue
    mkdirSync(dirname(target), { recursive: true })
    // Other processes may be reading it.
    const draft = `${target}.${process.pid}`
    writeFileSync(draft, stripTypeScriptTypes(readFileSync(join(root, name), 'utf8')))
    utimesSync(draft, modified, modified)
    renameSync(draft, target)
  }
  process.emitWarning = emitWarning
}

async function bundle(
  modules: readonly Module[],
  cache: string,
  directory: string,
  env: Record<string, string>,
): Promise<void> {
  for (const name of readdirSync(cache)) {
    const old = join(cache, name)
    if (name.startsWith('bundled_') && Date.now() - statSync(old).mtimeMs > KEPT_MS)
      rmSync(old, { recursive: true, force: true })
  }
  const { bundlePrograms } = await import('./bundle_programs.ts')
  const draft = `${directory}.${process.pid}`
  const names = modules.map(({ name }) => name)
  await Promise.all([bundlePrograms(root, names, draft), describeApis(join(draft, DESCRIBED), env)])
  // A bundle and the validators import packages by name.
  symlinkSync(join(root, 'node_modules'), join(draft, 'node_modules'))
  keepDraft(draft, directory)
}

/** A process of its own loads the modules of all routes; the run does not need them. */
function describeApis(directory: string, env: Record<string, string>): Promise<unknown> {
  const program = fileURLToPath(new URL('describe_apis.ts', import.meta.url))
  return promisify(execFile)(process.execPath, [program, directory], { env: { ...process.env, ...env } })
}

/** Returns the same variables, for a process whose environment a test builds itself. */
export function startUp(): Record<string, string> {
  const { NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env
  return { ...(NODE_OPTIONS && { NODE_OPTIONS }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}
