/** The image of Parley: the layers, and how containers of it run. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { billOfMaterials, debianParts, licencesOf, npmParts } from './contents.ts'
import { debianRoot, type Wanted } from './debian.ts'
import { type Image, imageOf } from './oci.ts'
import { prepareProduct, productEntries, SOURCES } from './product.ts'
import { directory, type Entries, file, link } from './tar.ts'

export const CLONE = join(import.meta.dirname, '../..')
/** No other user has it, and distributions give it to no person. */
const USER = 10001
const HOME = 'opt/parley'
const DATA = 'var/lib/parley'

/** Libraries of Node.js, a parent that buries orphans, and what the processes for files of strangers are confined with. */
export const SYSTEM: Wanted = {
  'base-files': /^(?:etc|usr\/lib)\/os-release$|^usr\/share\/common-licenses\//,
  'gcc-12-base': /^$/,
  libc6: /^(?:usr\/)?lib(?:64)?\/(?:[^/]+-linux-gnu[^/]*\/)?[^/]+\.so[^/]*$/,
  'libgcc-s1': /\.so[^/]*$|^usr\/share\/doc\//,
  'libstdc++6': /^usr\/lib\/[^/]+\/[^/]+\.so[^/]*$|^usr\/share\/doc\//,
  tini: /^usr\/bin\/tini-static$/,
  dash: /^(?:usr\/)?bin\/(?:da)?sh$/,
  coreutils: /^(?:usr\/)?bin\/(?:nice|true)$/,
  'util-linux': /^usr\/bin\/unshare$/,
}

export type Built = Image & { version: string; bill: string; licences: string }

/** `debs`: where packages of the distribution are kept. */
export async function buildImage(debs: string): Promise<Built> {
  const { version } = JSON.parse(readFileSync(join(CLONE, 'package.json'), 'utf8')) as { version: string }
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', 'deploy/image', ...SOURCES) && '-changed'
  const commit = `${git('rev-parse', 'HEAD')}${changed}`
  const time = commitTime()
  const stage = mkdtempSync(join(tmpdir(), 'parley-image-'))
  try {
    prepareProduct(CLONE, stage)
    const { entries, packages: debian } = await debianRoot(SYSTEM, debs)
    for (const [path, entry] of accounts()) entries.set(path, entry)
    const parts = [...npmParts(join(stage, 'node_modules')), ...debianParts(debian)]
    const [bill, licences] = [billOfMaterials(version, time, parts), licencesOf(parts)]
    const { packages, sources } = productEntries(stage, HOME)
    for (const name of ['parley', 'health.mjs']) {
      sources.set(`${HOME}/${name}`, file(readFileSync(join(import.meta.dirname, name)), 0o755))
    }
    sources.set('usr/share/doc/parley/bill-of-materials.cdx.json', file(bill))
    sources.set('usr/share/doc/parley/licences.txt', file(licences))
    const image = await imageOf({
      name: `parley:${version}`,
      layers: [
        { says: 'files of the distribution', entries },
        { says: 'packages of npm, with Node.js', entries: packages },
        { says: `Parley ${version}`, entries: sources },
      ],
      config: CONFIG,
      labels: {
        'org.opencontainers.image.title': 'Parley',
        'org.opencontainers.image.description': 'Self-hosted API for multi-channel messaging and CRM',
        'org.opencontainers.image.version': version,
        ...(commit && { 'org.opencontainers.image.revision': commit }),
        'org.opencontainers.image.created': new Date(time * 1000).toISOString().replace('.000', ''),
      },
      time,
      arch: process.arch,
    })
    return { ...image, version, bill, licences }
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/** The time of all that is made of a commit, in seconds since 1970: its own, or `SOURCE_DATE_EPOCH`. */
export function commitTime(): number {
  return Number(process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct') || 0)
}

const SECOND = 1_000_000_000

const CONFIG = {
  User: `${USER}:${USER}`,
  Env: [
    'PATH=/usr/local/bin:/usr/bin',
    // There is no PostgreSQL in the image, and so no development either.
    'PARLEY_ENV=production',
    `PARLEY_DATA_DIR=/${DATA}`,
    'MALLOC_ARENA_MAX=1',
  ],
  // Node.js as the first process would ignore a signal in the moment before it handles it, and would leave dead
  // grandchildren: nodes of PARLEY_NODES that were killed have children of their own.
  Entrypoint: ['/usr/bin/tini-static', '--', '/usr/local/bin/parley'],
  Cmd: ['serve'],
  WorkingDir: `/${DATA}`,
  ExposedPorts: { '8080/tcp': {} },
  Volumes: { [`/${DATA}`]: {} },
  StopSignal: 'SIGTERM',
  Healthcheck: {
    Test: ['CMD', '/usr/local/bin/node', `/${HOME}/health.mjs`],
    Interval: 10 * SECOND,
    Timeout: 5 * SECOND,
    StartPeriod: 60 * SECOND,
    Retries: 3,
  },
}

/** The user, places that can be written, and names of the commands. */
function accounts(): Entries {
  return new Map([
    ['etc/passwd', file(`root:x:0:0:root:/:/sbin/nologin\nparley:x:${USER}:${USER}:Parley:/${DATA}:/sbin/nologin\n`)],
    ['etc/group', file(`root:x:0:\nparley:x:${USER}:\n`)],
    ['etc/nsswitch.conf', file('passwd: files\ngroup: files\nhosts: files dns\n')],
    [DATA, directory(0o700, USER)],
    // For a volume of files that nodes share: it takes over whose it is.
    [`${DATA}-files`, directory(0o700, USER)],
    ['tmp', directory(0o1777)],
    ['usr/local/bin/node', link(`/${HOME}/node_modules/node/bin/node`)],
    ['usr/local/bin/parley', link(`/${HOME}/parley`)],
  ])
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: CLONE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
