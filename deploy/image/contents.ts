/** The list of all that is in an image, in the format CycloneDX, and the licences of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DebianPackage } from './debian.ts'

/** Names of files that hold a licence. */
export const LICENCE = /^(?:licen[cs]e|copying|notice|copyright)/i

type Locked = Record<string, { version?: string; license?: string; integrity?: string; name?: string }>

type Component = {
  type: 'library' | 'application'
  name: string
  version: string
  purl: string
  'bom-ref': string
  licenses?: { expression: string }[] | { license: { name: string } }[]
  hashes?: { alg: string; content: string }[]
}

export type Part = { component: Component; texts: string[] }

/** A licence as SPDX writes it: a name, or an expression of names. */
const EXPRESSION = /^[\w.+-]+$|^\(?[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)*\)?$/

/** The packages of npm that are present below `modules`. */
export function npmParts(modules: string): Part[] {
  const locked = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages as Locked
  const parts = Object.entries(locked).flatMap(([path, { version = '', license, integrity, name }]) => {
    const home = join(modules, path.replace(/^node_modules\//, ''))
    if (!existsSync(home)) return []
    const own = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const hash = integrity && /^sha512-(.*)$/.exec(integrity)?.[1]
    const hashes = hash ? [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] : undefined
    return [part({ name: own, version, purl: npmUrl(own, version), license, hashes }, licenceTexts(home))]
  })
  return [...parts, ...nodeParts(modules)]
}

/** Node.js: the packages `node` and `node-<platform>` only bring it, and the latter is in no lock file. */
function nodeParts(modules: string): Part[] {
  const inner = join(modules, 'node/node_modules')
  const homes = existsSync(inner) ? readdirSync(inner).filter((name) => /^node-\w+-\w+$/.test(name)) : []
  return homes.map((name) => {
    const home = join(inner, name)
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    const url = `pkg:generic/node@${version}`
    return part({ name: 'node', version, purl: url, license: 'MIT' }, licenceTexts(home), 'application')
  })
}

export function debianParts(packages: readonly DebianPackage[]): Part[] {
  return packages.map(({ name, version, architecture, sha256, license }) =>
    part(
      {
        name,
        version,
        purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`,
        license: undefined,
        hashes: [{ alg: 'SHA-256', content: sha256 }],
      },
      [license],
    ),
  )
}

type Described = Pick<Component, 'name' | 'version' | 'purl' | 'hashes'> & { license: string | undefined }

function part({ license, hashes, ...rest }: Described, texts: string[], type: Component['type'] = 'library'): Part {
  const licenses = !license
    ? undefined
    : EXPRESSION.test(license)
      ? [{ expression: license }]
      : [{ license: { name: license } }]
  const component = { type, ...rest, 'bom-ref': rest.purl, ...(licenses && { licenses }), ...(hashes && { hashes }) }
  return { component, texts }
}

function npmUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function licenceTexts(home: string): string[] {
  const names = readdirSync(home, { withFileTypes: true }).filter((entry) => entry.isFile() && LICENCE.test(entry.name))
  return names.map(({ name }) => readFileSync(join(home, name), 'utf8').trim()).sort()
}

/** The bill of materials. It has no number and no hour of its own, so that one content makes one file. */
export function billOfMaterials(version: string, time: number, parts: readonly Part[]): string {
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: { type: 'application', name: 'parley', version, 'bom-ref': 'parley', purl: npmUrl('parley', version) },
    },
    components: parts.map(({ component }) => component).sort((a, b) => (a.purl < b.purl ? -1 : 1)),
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** Each text once, below the names of all that it holds for. */
export function licencesOf(parts: readonly Part[]): string {
  const names = new Map<string, string[]>()
  for (const { component, texts } of parts) {
    const { name, version, licenses } = component
    const short = licenses?.map((one) => ('expression' in one ? one.expression : one.license.name)).join(', ')
    const label = `${name} ${version}${short ? ` (${short})` : ''}`
    for (const text of texts.length > 0 ? texts : ['The package has no text of its licence.']) {
      names.set(text, [...(names.get(text) ?? []), label])
    }
  }
  const chapters = [...names].map(([text, holders]) => `${[...new Set(holders)].sort().join('\n')}\n\n${text}\n`).sort()
  return chapters.join(`\n${'-'.repeat(80)}\n\n`)
}
