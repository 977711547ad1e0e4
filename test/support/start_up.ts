/**
 * Makes the start of a process cheap: a test run starts several hundred processes, and each of them would load some two
 * thousand modules, which takes more than a second of a core.
 */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundlePrograms } from './bundle_programs.ts'
import { root } from './checks.ts'

const OURS = ['actors', 'http', 'runtime', 'storage', 'test']

/**
 * Strips the types from all our modules once, as Node would do in each process, and keeps the code that V8 has compiled.
 * A `long` run also joins the modules of each program, which takes some seconds of a core. Everything lies in
 * `directory`, which the caller removes.
 */
export async function prepareStartUp(directory: string, long: boolean): Promise<Record<string, string>> {
  const names = OURS.flatMap((ours) => modulesIn(ours))
  stripTypes(names, join(directory, 'stripped'))
  if (long) {
    // A bundle imports by name the packages that it does not hold.
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    await bundlePrograms(root, names, join(directory, 'bundled'))
  }
  const hook = pathToFileURL(join(root, 'test/support/run_prepared.mjs'))
  hook.searchParams.set('in', directory)
  return { NODE_OPTIONS: `--import=${hook.href}`, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }
}

function modulesIn(ours: string): string[] {
  const names = readdirSync(join(root, ours), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(ours, name))
}

function stripTypes(names: readonly string[], directory: string): void {
  // Node warns that this is experimental. No run needs the warning, because the lock file pins the version of Node.
  const { emitWarning } = process
  process.emitWarning = () => {}
  for (const name of names) {
    const target = join(directory, name)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, stripTypeScriptTypes(readFileSync(join(root, name), 'utf8')))
  }
  process.emitWarning = emitWarning
}

/** Returns the same variables, for a process whose environment a test builds itself. */
export function startUp(): Record<string, string> {
  const { NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env
  return { ...(NODE_OPTIONS && { NODE_OPTIONS }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}
