/** A preload (`node --import`) that loads modules with the changes of the mutant named in `PARLEY_MUTANT`. */
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
