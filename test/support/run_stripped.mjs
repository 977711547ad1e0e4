/**
 * Loaded before everything else by the processes of a test run (NODE_OPTIONS): modules come from the directory that the
 * address of this file names, where the run has put them without their types. What is not there is loaded as ever.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const root = new URL('../..', import.meta.url).href
const directory = new URL(import.meta.url).searchParams.get('in')

// Programs of others, such as npm, may run under a Node without it.
module.registerHooks?.({
  load(url, context, next) {
    if (url.startsWith(root) && url.endsWith('.ts')) {
      try {
        const source = readFileSync(`${directory}/${fileURLToPath(url).slice(fileURLToPath(root).length)}`, 'utf8')
        return { format: 'module', source, shortCircuit: true }
      } catch {}
    }
    return next(url, context)
  },
})
