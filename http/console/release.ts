/**
 * The files of the console's page as this node serves them. They have one name together, the release: it changes with
 * any of them, and is part of their addresses. So browsers keep files for good, and modules of two releases never meet.
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importsOf, toBrowserModule } from '../server/files/browser_module.ts'
import { Compressed } from '../server/files/compressed.ts'
import { type PageFile, pageFileOf } from '../server/reply/page_files.ts'

const DIRECTORY = `${import.meta.dirname}/page`

/** Modules of packages, by the names under which other modules import them, each with its place among the files. */
const PACKAGES: Record<string, { place: string; file: string }> = {
  preact: { place: 'lib/preact.js', file: resolved('preact') },
  'preact/hooks': { place: 'lib/hooks.js', file: resolved('preact/hooks') },
  htm: { place: 'lib/htm.js', file: resolved('htm') },
  'htm/preact': { place: 'lib/htm_preact.js', file: resolved('htm/preact') },
  '@preact/signals-core': { place: 'lib/signals_core.js', file: resolved('@preact/signals-core') },
  '@preact/signals': { place: 'lib/signals.js', file: resolved('@preact/signals') },
  'socket.io-client': { place: 'lib/socket_io.js', file: beside('socket.io', 'client-dist/socket.io.esm.min.js') },
}

/** The modules of the first view. They and their imports are fetched together. */
const FIRST_MODULES = ['app/main.js', 'inbox/mod.js']
/** The styles of the first view, in this order. They are served as one file. The other sections bring theirs. */
const FIRST_STYLES = [
  'ui/base.css',
  'ui/parts.css',
  'ui/page.css',
  'ui/forms.css',
  'ui/overlays.css',
  'app/frame.css',
  'app/agent.css',
  'app/sign_in.css',
  'inbox/inbox.css',
  'inbox/thread/thread.css',
]
const FIRST_STYLE = 'first.css'

export type ReleaseFile = PageFile & { compressed: Compressed }

export type Release = {
  name: string
  /** Modules by place, such as `inbox/mod.js`. */
  files: ReadonlyMap<string, ReleaseFile>
  /** The page itself. */
  page: ReleaseFile
  /** The modules that are loaded before the inbox is seen. */
  first_modules: readonly string[]
}

let release: Release | undefined

/** Reads the files once in a process: several nodes may run in one. */
export function readRelease(): Release {
  release ??= makeRelease()
  return release
}

function makeRelease(): Release {
  const contents = new Map<string, string>()
  for (const place of globSync('**/*.{js,css,svg}', { cwd: DIRECTORY }).sort()) {
    if (place !== 'boot.js') contents.set(place, readFileSync(`${DIRECTORY}/${place}`, 'utf8'))
  }
  contents.set(FIRST_STYLE, FIRST_STYLES.map((place) => contents.get(place)!).join('\n'))
  for (const { place, file } of Object.values(PACKAGES)) contents.set(place, readFileSync(file, 'utf8'))
  for (const [place, source] of contents) {
    if (!place.endsWith('.js')) continue
    const module = toBrowserModule(source, (name) => addressOf(PACKAGES[name]?.place, place))
    contents.set(place, module)
  }
  const template = readFileSync(`${DIRECTORY}/page.html`, 'utf8')
  const hash = createHash('sha256').update(template)
  for (const [place, content] of contents) hash.update(`\0${place}\0${content}`)
  const name = hash.digest('hex').slice(0, 16)
  const first_modules = [...loadedBy(FIRST_MODULES, contents)]
  return {
    name,
    files: new Map([...contents].map(([place, content]) => [place, served(place, content)])),
    page: served('page.html', pageOf(template, name, first_modules)),
    first_modules,
  }
}

function served(place: string, content: string): ReleaseFile {
  const file = pageFileOf(place, content)
  return { ...file, compressed: new Compressed(file.body) }
}

/** The address of a place, relative to the module in another place. */
function addressOf(place: string | undefined, from: string): string | undefined {
  if (place === undefined) return undefined
  const path = posix.relative(posix.dirname(from), place)
  return path.startsWith('.') ? path : `./${path}`
}

/** The places of these modules and of all that they import, without what they import later. */
function loadedBy(first: readonly string[], contents: ReadonlyMap<string, string>): Set<string> {
  const found = new Set(first)
  // The loop also visits the modules that it adds.
  for (const place of found) {
    const source = contents.get(place)
    if (source === undefined) throw new Error(`a module of the console imports ${place}, which does not exist`)
    for (const name of importsOf(source)) {
      if (!name.startsWith('.')) throw new Error(`${place} imports ${name}, which the console does not serve`)
      found.add(posix.join(posix.dirname(place), name))
    }
  }
  return found
}

/** Fills in the release and the files of the first view. */
function pageOf(template: string, release: string, modules: readonly string[]): string {
  const at = `console/files/${release}/`
  const lines = [
    `<meta name="release" content="${release}">`,
    `<link rel="icon" href="${at}icon.svg" type="image/svg+xml">`,
    `<link rel="stylesheet" href="${at}${FIRST_STYLE}">`,
    ...modules.map((place) => `<link rel="modulepreload" href="${at}${place}">`),
  ]
  return template.replace('<!-- files -->', lines.join('\n    '))
}

function resolved(name: string): string {
  return fileURLToPath(import.meta.resolve(name))
}

function beside(name: string, file: string): string {
  return fileURLToPath(new URL(file, import.meta.resolve(name)))
}
