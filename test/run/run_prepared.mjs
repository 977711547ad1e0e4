/**
 * A module that the processes of a test run load before everything else (NODE_OPTIONS). A program of ours comes in one
 * piece from the directory `bundled`; a module of ours comes without its types from the directory `stripped`. Modules that
 * are missing there load as usual. `no_domain.ts` takes the place of the package that follows every promise: a node that files
 * share brings tap along, too.
 */
import { existsSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = new URL('../..', import.meta.url).href
const places = new URL(import.meta.url).searchParams
const stripped = places.get('stripped')
const bundled = places.get('bundled')
// In a thread, too, this is the module that it begins with.
const program = process.argv[1] && pathToFileURL(process.argv[1]).href
// A node of the next version is made by changing modules while they load.
const may_bundle = bundled !== null && process.env.PARLEY_TEST_VERSION !== 'newer'
const NO_DOMAIN = new URL('no_domain.ts', import.meta.url).href
const FILE = /^\.\.?\/.*\.(?:ts|mjs|js)$/

// Programs of others, such as npm, may run under a Node without this function.
module.registerHooks?.({
  resolve(specifier, context, next) {
    if (specifier === 'async-hook-domain') return { url: NO_DOMAIN, shortCircuit: true }
    // An import names its file in full, so Node need not look for it.
    if (!FILE.test(specifier) || !context.parentURL || !context.conditions.includes('import'))
      return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
  },
  load(url, context, next) {
    if (url.startsWith(root) && url.endsWith('.ts')) {
      const name = fileURLToPath(url).slice(fileURLToPath(root).length)
      const bundle = `${bundled}/${name.slice(0, -3)}.js`
      if (may_bundle && url === program && existsSync(bundle)) {
        const source = `export * from ${JSON.stringify(pathToFileURL(bundle).href)}`
        return { format: 'module', source, shortCircuit: true }
      }
      try {
        const source = readFileSync(`${stripped}/${name}`, 'utf8')
        return { format: 'module', source, shortCircuit: true }
      } catch {}
    }
    return next(url, context)
  },
})
