/** `node --import` this, with the name of a mutant in `PARLEY_MUTANT`: the modules that it changes are loaded so. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { mutants, mutate } from './mutants.ts'

const root = new URL('../../', import.meta.url).href
const mutant = mutants.find(({ name }) => name === process.env.PARLEY_MUTANT)

if (mutant) {
  registerHooks({
    load(url, context, nextLoad) {
      const file = url.startsWith(root) ? url.slice(root.length) : ''
      if (!mutant.edits.some((edit) => edit.file === file)) return nextLoad(url, context)
      const source = mutate(mutant, file, readFileSync(new URL(url), 'utf8'))
      return { format: 'module-typescript', source, shortCircuit: true }
    },
  })
}
