/**
 * Files that npm brings and that no process in production opens: binaries of other platforms, headers to compile add-ons
 * with, libraries that only tools for developers load. They are more than half of what npm installs. It has no
 * dependencies, because the set-up runs it.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const TRACES = [
  ...['api', 'api-logs', 'core', 'exporter-trace-otlp-proto', 'otlp-exporter-base', 'otlp-transformer'],
  ...['resources', 'sdk-logs', 'sdk-metrics', 'sdk-trace', 'sdk-trace-base'],
]

/**
 * Each package with a test of the names that stay below one of its directories. Packages without such a test are removed whole.
 * The lock file still lists those: npm brings them back when a developer installs.
 */
const PACKAGES = [
  // Binaries for each platform and each release of Node.
  {
    name: 'uWebSockets.js',
    directory: 'dist/bin',
    keep: (name, { platform, arch, abi }) => name === `uws_${platform}_${arch}_${abi}.node`,
  },
  // Its headers.
  {
    name: 'node',
    directory: 'node_modules/node-{platform}-{arch}',
    keep: (name) => ['bin', 'LICENSE', 'package.json'].includes(name),
  },
  // The text of PDF files is read by `unpdf`, which takes from here only data (actors/knowledge/convert/confined).
  {
    name: 'pdfjs-dist',
    directory: '.',
    keep: (name) => ['cmaps', 'standard_fonts', 'LICENSE', 'package.json'].includes(name),
  },
  // Traces: the same code three times, for bundlers.
  ...TRACES.map((name) => ({ name: `@opentelemetry/${name}`, directory: 'build', keep: (entry) => entry === 'src' })),
  // Draws pages of PDF files as pictures, which Parley does not.
  { name: '@napi-rs/canvas' },
  { name: '@napi-rs/canvas-{platform}-{arch}-gnu' },
  { name: '@napi-rs/canvas-{platform}-{arch}' },
  // Described by `valibot` as something to bring for its types.
  { name: 'typescript' },
  { name: '@typescript/typescript-{platform}-{arch}' },
]

/**
 * Removes them from `modules`. `target` is the Node that will run: its `platform`, `arch` and `abi` (`process.versions.modules`).
 * Returns the names of packages of which a part is left: npm takes those for complete.
 */
export function removeUnneeded(modules, target) {
  const filled = (text) => text.replace('{platform}', target.platform).replace('{arch}', target.arch)
  const cut = []
  for (const { name, directory, keep } of PACKAGES) {
    const home = join(modules, filled(name))
    if (!existsSync(home)) continue
    if (!keep) {
      rmSync(home, { recursive: true })
      continue
    }
    const place = join(home, filled(directory))
    const names = existsSync(place) ? readdirSync(place) : []
    // A package that is laid out in another way stays as it is.
    if (!names.some((entry) => keep(entry, target))) continue
    for (const entry of names) if (!keep(entry, target)) rmSync(join(place, entry), { recursive: true })
    cut.push(name)
  }
  return cut
}
