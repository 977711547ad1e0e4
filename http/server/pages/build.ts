/**
 * Builds a page with esbuild, in a process of its own: the product does not keep the bundler in memory. The argument is a
 * `PageSource` as JSON; the files are written to the standard output as JSON.
 */
import { basename, dirname, join, relative } from 'node:path'
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, stop } from 'esbuild'
import type { BuiltFiles, PageSource } from './page_source.ts'

const source = JSON.parse(process.argv[2]!) as PageSource
const { directory, scripts = [], modules = [], styles = [], first = [], alias = {} } = source
/** Maps name sources by their way from here, so that they do not tell where the clone is, and are the same in each. */
const OUT = join(directory, '../built')
const common = {
  absWorkingDir: directory,
  alias: { ...alias },
  bundle: true,
  charset: 'utf8',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'error',
  metafile: true,
  minify: true,
  outdir: OUT,
  sourcemap: 'linked',
  target: 'es2022',
  write: false,
} as const satisfies BuildOptions

const built = await Promise.all([
  build({ ...common, format: 'iife', entryPoints: entriesOf(scripts) }),
  build({ ...common, entryPoints: entriesOf(modules) }),
  build({ ...common, entryPoints: entriesOf(styles), sourcemap: false }),
  ...(first.length > 0 ? await firstAndLater(first) : []),
])
process.stdout.write(JSON.stringify(filesOf(built.flatMap(({ outputFiles }) => outputFiles))))
await stop()

function filesOf(outputs: readonly OutputFile[]): BuiltFiles {
  return Object.fromEntries(outputs.map(({ path, text }) => [relative(OUT, path), text]))
}

function entriesOf(places: readonly string[]): { in: string; out: string }[] {
  return places.map((place) => ({ in: `./${place}`, out: nameOf(place) }))
}

/** The name of a file without its end. A folder gives its name to its `mod`. */
function nameOf(place: string): string {
  const name = basename(place).replace(/\.\w+$/, '')
  return name === 'mod' ? basename(dirname(place)) : name
}

/**
 * Esbuild alone would put modules that several later ones share into files of their own, and the first view would need
 * dozens of them. So the modules of the first view are joined, and this file exports to the later ones what they import.
 */
async function firstAndLater(first: readonly string[]) {
  const { metafile } = await build({ ...common, entryPoints: entriesOf(first), splitting: true })
  const joined = joinedBy(first, metafile)
  const [main = ''] = first
  const later = Object.values(metafile.outputs).flatMap(({ entryPoint }) =>
    entryPoint === undefined || entryPoint === main ? [] : [entryPoint],
  )
  const shared = new Set(later.filter((place) => joined.has(place)))
  for (const [place, { imports }] of Object.entries(metafile.inputs)) {
    if (joined.has(place)) continue
    for (const { path, kind } of imports) if (kind === 'import-statement' && joined.has(path)) shared.add(path)
  }
  const exports = await exportsOf([...shared])
  const lines = [...exports].flatMap(([place, names]) =>
    names.map(([name, outside]) => `export { ${name} as ${outside} } from ${JSON.stringify(`./${place}`)}`),
  )
  const stdin = { contents: [`import ${JSON.stringify(`./${main}`)}`, ...lines].join('\n'), resolveDir: directory }
  const file = `${nameOf(main)}.js`
  return [
    build({ ...common, stdin, outdir: undefined, outfile: join(OUT, file), plugins: [keepLater(later)] }),
    build({
      ...common,
      entryPoints: entriesOf(later),
      splitting: true,
      plugins: [takeFromFirst(`./${file}`, exports, metafile)],
    }),
  ]
}

/** The modules, and all that they import at once. */
function joinedBy(first: readonly string[], { inputs }: Metafile): Set<string> {
  const joined = new Set(first)
  // The loop also visits the modules that it adds.
  for (const place of joined) {
    for (const { path, kind } of inputs[place]!.imports) if (kind === 'import-statement') joined.add(path)
  }
  return joined
}

/** The names that modules export, each with the one that the first file exports it by. */
type Exports = ReadonlyMap<string, [name: string, outside: string][]>

async function exportsOf(places: readonly string[]): Promise<Exports> {
  const entryPoints = places.map((place, index) => ({ in: `./${place}`, out: String(index) }))
  const { metafile } = await build({ ...common, entryPoints, bundle: false, alias: {}, sourcemap: false })
  return new Map(
    Object.values(metafile.outputs).map(({ entryPoint = '', exports }, index) => [
      entryPoint,
      exports.map((name) => [name, `${name}_${index}`]),
    ]),
  )
}

/** In the first file, an import of a later module names its file. */
function keepLater(later: readonly string[]): Plugin {
  return {
    name: 'later modules',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const place = relative(directory, join(resolveDir, path))
        if (kind !== 'dynamic-import' || !later.includes(place)) return undefined
        return { path: `./${nameOf(place)}.js`, external: true }
      })
    },
  }
}

/** In the later files, an import of a module of the first view leads to the first file. */
function takeFromFirst(file: string, exports: Exports, { inputs }: Metafile): Plugin {
  return {
    name: 'modules of the first view',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./, namespace: 'first' }, ({ path }) => ({ path, external: true, sideEffects: false }))
      onResolve({ filter: /./ }, ({ path, importer }) => {
        // Without an importer the path would lead from where the process was started.
        const from = importer && relative(directory, importer)
        const place =
          importer === '' ? path.slice(2) : inputs[from]?.imports.find(({ original }) => original === path)?.path
        if (place === undefined || !exports.has(place)) return undefined
        // One for each importer, which esbuild joins with it: one for all would be a file of its own.
        return { path: place, namespace: 'first', suffix: `?${from}`, sideEffects: false }
      })
      onLoad({ filter: /./, namespace: 'first' }, ({ path }) => {
        // Each name has a line of its own, because esbuild then leaves out those that nobody uses.
        const lines = exports.get(path)!.map(([name, outside]) => `export { ${outside} as ${name} } from '${file}'`)
        return { contents: lines.join('\n') }
      })
    },
  }
}
