import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Source } from './clock_rules.ts'

/** The rooms, from the top one, which knows all others, to the bottom one, which knows none. */
const ROOMS = ['http', 'actors', 'runtime', 'storage']

/**
 * The wings of `http`, by floors. A wing knows the wings on the floors below, and none on its own floor. The server
 * knows no feature.
 */
const WINGS = [
  ['cli'],
  ['app'],
  ['admin', 'console', 'visitors', 'mcp', 'docs'],
  ['routes'],
  ['media', 'openapi'],
  ['server'],
  ['metrics'],
]
/**
 * The wings that import nothing outside themselves, each with the parts of the product that may import it. The
 * simulator stands for the clouds of providers. The client is a package for other programs.
 */
const SEALED: Record<string, readonly string[]> = {
  simulator: ['http/app/demo/', 'http/cli/'],
  client: ['http/cli/', 'http/console/page/records/'],
}

/** The folders of the console's page, by floors like the wings. The sections are on one floor: none knows another. */
const PAGE = 'http/console/page'
const PAGE_FLOORS = [
  ['boot.ts'],
  ['app'],
  ['inbox', 'board', 'people', 'broadcasts', 'webhooks', 'knowledge', 'assistants', 'appointments', 'costs', 'ops'],
  ['core'],
  ['crm'],
  ['ui'],
  ['data'],
  ['live'],
  ['records'],
]

/** The folders of the project actor are its features, and `turn`, which knows none of them. */
const PROJECT = 'actors/project'

/** Parts that are divided into folders. A file beside the folders stands for itself. */
const DIVIDED = ['http/server', 'http/routes', 'runtime', 'storage', 'storage/queries']

/** An import. An import of a type counts like any other. */
export type Import = { from: string; to: string }

/**
 * Returns one sentence for each rule that an import of the product breaks:
 * 1. Rooms know only the rooms below them.
 * 2. Another room is entered through its `mod.ts`.
 * 3. The product does not import its tests.
 * 4. The wings of `http` know only wings on the floors below, and nothing but the door stands beside them.
 * 5. The simulator and the client import nothing outside themselves. The demo and the command line alone import the
 * simulator. The command line alone imports the client, and the console's page its types.
 * 6. No files import each other in a circle, types included: none of them could be understood without the others.
 * 7. No folders of the project actor import each other in a circle: a feature knows only the features below it. The
 * files beside the folders count as one more folder.
 * 8. No folders of another divided part import each other in a circle, whatever lies in them.
 * 9. The folders of the console's page know only folders on the floors below.
 */
export function importViolations(imports: Import[]): string[] {
  return [
    ...imports.flatMap(roomViolations),
    ...imports.flatMap(wingViolations),
    ...imports.flatMap(pageViolations),
    ...circles(imports),
    ...circles(imports.flatMap(betweenFolders)),
    ...DIVIDED.flatMap((part) => circles(imports.flatMap((one) => between(part, one)))),
  ]
}

function roomViolations({ from, to }: Import): string[] {
  const [here, there] = [from, to].map((path) => path.split('/')[0] ?? '')
  if (!here || !there || here === there || !ROOMS.includes(here)) return []
  if (!ROOMS.includes(there)) return [`${from} imports ${to}: the product stands without ${there}/`]
  if (ROOMS.indexOf(there) < ROOMS.indexOf(here)) return [`${from} imports ${to}: ${here} may not know ${there}`]
  return to === `${there}/mod.ts` ? [] : [`${from} imports ${to}: enter ${there} through ${there}/mod.ts`]
}

function wingViolations({ from, to }: Import): string[] {
  const [here, there] = [from, to].map(wingOf)
  if (here === there || here === 'mod.ts') return []
  if (here && here in SEALED) return [`${from} imports ${to}: the ${here} knows nothing outside itself`]
  if (there && there in SEALED) {
    const users = SEALED[there]!
    const may = users.some((folder) => from.startsWith(folder))
    return may ? [] : [`${from} imports ${to}: only ${users.join(' and ')} may know the ${there}`]
  }
  if (!here || !there) return []
  const [floor, below] = [here, there].map((wing) => WINGS.findIndex((wings) => wings.includes(wing)))
  if (floor === -1) return [`${from}: http has no wing ${here}`]
  if (below === -1) return [`${from} imports ${to}: http has no wing ${there}`]
  return below! > floor! ? [] : [`${from} imports ${to}: ${here} may not know ${there}`]
}

function pageViolations({ from, to }: Import): string[] {
  const [here, there] = [from, to].map(pageFolderOf)
  if (here === undefined || there === undefined || here === there) return []
  const [floor, below] = [here, there].map((folder) => PAGE_FLOORS.findIndex((folders) => folders.includes(folder)))
  if (floor === -1) return [`${from}: the page has no folder ${here}`]
  return below! > floor! ? [] : [`${from} imports ${to}: ${here} may not know ${there}`]
}

/** Returns undefined outside the page. */
function pageFolderOf(path: string): string | undefined {
  return path.startsWith(`${PAGE}/`) ? path.slice(PAGE.length + 1).split('/')[0] : undefined
}

const ORM = /\bfrom '@mikro-orm\/|\bimport\('@mikro-orm\/|\.em\(/

/**
 * Returns one sentence for each line of `http` that uses the mapping of the tables. `http` reads by queries and changes
 * by transactions that storage names, or asks an actor. So every write to a table stands beside its locks.
 */
export function ormViolations(sources: Source[]): string[] {
  return sources
    .filter(({ file }) => file.startsWith('http/'))
    .flatMap(({ file, text }) => text.split('\n').flatMap((line, at) => (ORM.test(line) ? [`${file}:${at + 1}`] : [])))
    .map(
      (place) =>
        `${place} uses the ORM: call a query or a transaction of storage, or ask the actor that owns the table`,
    )
}

/** Returns undefined outside `http`. */
function wingOf(path: string): string | undefined {
  const [room, wing] = path.split('/')
  return room === 'http' ? wing : undefined
}

/** Returns the import as one between folders of the project actor, or none for any other import. */
function betweenFolders({ from, to }: Import): Import[] {
  const [here, there] = [from, to].map(folderOf)
  return here && there && here !== there ? [{ from: here, to: there }] : []
}

/** Returns undefined outside the project actor. */
function folderOf(path: string): string | undefined {
  return path.startsWith(`${PROJECT}/`) ? path.split('/').slice(0, -1).join('/') : undefined
}

/** Returns the import as one between the folders of a divided part and the files beside them, or none for any other. */
function between(part: string, { from, to }: Import): Import[] {
  const [here, there] = [from, to].map((path) => childOf(part, path))
  return here && there && here !== there ? [{ from: here, to: there }] : []
}

/** Returns the folder or file directly in `part` on the way to `path`; undefined for a path outside. */
function childOf(part: string, path: string): string | undefined {
  if (!path.startsWith(`${part}/`)) return undefined
  return `${part}/${path.slice(part.length + 1).split('/')[0]}`
}

function circles(imports: Import[]): string[] {
  const next = Map.groupBy(imports, ({ from }) => from)
  const finished = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      found.push(`circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
    } else if (!finished.has(file)) {
      for (const { to } of next.get(file) ?? []) visit(to, [...path, file])
      finished.add(file)
    }
  }
  for (const file of next.keys()) visit(file, [])
  return found
}

/**
 * Reads the imports between files of `root`. A pattern is enough, because the formatter leaves only one way to write an
 * import.
 */
export function readImports(root: string): Import[] {
  return globSync(`{${ROOMS.join(',')}}/**/*.{ts,tsx,mjs}`, { cwd: root }).flatMap((from) => importsIn(root, from))
}

function importsIn(root: string, from: string): Import[] {
  const source = readFileSync(join(root, from), 'utf8')
  const statements = source.matchAll(/^(?:import|export)\b[^'"`;]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)
  return [...statements].map(([, fixed, dynamic]) => ({
    from,
    to: relative(root, join(root, dirname(from), fixed ?? dynamic ?? '')),
  }))
}
