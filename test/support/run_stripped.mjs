/**
 * A module that the processes of a test run load before everything else (NODE_OPTIONS). It loads our modules, without
 * their types, from the directory of this file; the run has put them there. Modules that are missing there load as
 * usual.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const root = new URL('../..', import.meta.url).href
const directory = new URL(import.meta.url).searchParams.get('in')

// Programs of others, such as npm, may run under a Node without this function.
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
