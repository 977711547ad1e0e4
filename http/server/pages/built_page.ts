/**
 * The files of a page as browsers get them. They are built when a source has changed, and kept in `node_modules/.cache`.
 * Where that cannot be written, each start builds them again.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { BuiltFiles, PageSource } from './page_source.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CACHE = join(ROOT, 'node_modules/.cache/pages')
const BUILDER = join(import.meta.dirname, 'build.ts')
const MAX_BYTES = 64 * 1024 * 1024

type Kept = { key: string; files: BuiltFiles }

/**
 * @param cache directory in which built files are kept
 * @throws the message of the bundler for a source that it does not understand
 */
export function builtPage(source: PageSource, cache = CACHE): BuiltFiles {
  const key = keyOf(source)
  const place = join(cache, `${source.name}.json`)
  const kept = readKept(place)
  if (kept?.key === key) return kept.files
  const output = execFileSync(process.execPath, [BUILDER, JSON.stringify(source)], {
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
    stdio: 'pipe',
  })
  const files = JSON.parse(output) as BuiltFiles
  keep(place, { key, files })
  return files
}

/** Changes with each source, with the packages and with the way of building. It is the same wherever Parley lies. */
function keyOf(source: PageSource): string {
  const fromRoot = (_: string, value: unknown) =>
    typeof value === 'string' && isAbsolute(value) ? relative(ROOT, value) : value
  const hash = createHash('sha256').update(JSON.stringify(source, fromRoot))
  const add = (path: string) => hash.update(`\0${relative(ROOT, path)}\0`).update(readFileSync(path))
  add(join(ROOT, 'package-lock.json'))
  add(BUILDER)
  for (const name of globSync('**/*.{ts,tsx,css}', { cwd: source.directory }).sort()) add(join(source.directory, name))
  return hash.digest('hex')
}

function readKept(place: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(place, 'utf8')) as Kept
  } catch {
    return undefined
  }
}

/** Processes that start at the same time each keep the same files. None of them reads half of a file. */
function keep(place: string, kept: Kept): void {
  const draft = `${place}.${process.pid}`
  try {
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(draft, JSON.stringify(kept))
    renameSync(draft, place)
  } catch {
    // A service user, a read-only image, or a full disk.
    try {
      rmSync(draft, { force: true })
    } catch {}
  }
}
