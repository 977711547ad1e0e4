/** What makes the start of a process cheap: a test run starts a few hundred, which load the same modules. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './checks.ts'

const OURS = ['actors', 'http', 'runtime', 'storage', 'test']

/** Takes the types from all our modules once, as Node would in each process, and keeps what V8 has compiled. */
export function prepareStartUp(directory: string): Record<string, string> {
  // That this is experimental need not be said in each run: the lock file says which Node it is.
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

/** The same for a process whose environment is made by hand. */
export function startUp(): Record<string, string> {
  const { NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env
  return { ...(NODE_OPTIONS && { NODE_OPTIONS }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}
