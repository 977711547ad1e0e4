/**
 * Makes the start of a process cheap: a test run starts a few hundred processes, and all of them load the same modules.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './checks.ts'

const OURS = ['actors', 'http', 'runtime', 'storage', 'test']

/**
 * Strips the types from all our modules once, as Node would do in each process, and keeps the code that V8 has
 * compiled.
 */
export function prepareStartUp(directory: string): Record<string, string> {
  // Node warns that this is experimental. No run needs the warning, because the lock file pins the version of Node.
  const { emitWarning } = process
  process.emitWarning = () => {}
  for (const ours of OURS) {
    for (const name of readdirSync(join(root, ours), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue
      const target = join(directory, ours, name)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, stripTypeScriptTypes(readFileSync(join(root, ours, name), 'utf8')))
    }
  }
  process.emitWarning = emitWarning
  const hook = pathToFileURL(join(root, 'test/support/run_stripped.mjs'))
  hook.searchParams.set('in', directory)
  return { NODE_OPTIONS: `--import=${hook.href}`, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }
}

/** Returns the same variables, for a process whose environment a test builds itself. */
export function startUp(): Record<string, string> {
  const { NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env
  return { ...(NODE_OPTIONS && { NODE_OPTIONS }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}
