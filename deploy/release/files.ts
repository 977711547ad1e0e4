/** The files of a release beside the image: each is made of what git knows, and one commit makes the same bytes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { SOURCES } from '../image/product.ts'
import { type Entries, file, tarOf } from '../image/tar.ts'

/** The parts of an installation without containers: the product, NATS' settings, the unit of systemd. */
const SERVER = [...SOURCES, 'SECURITY.md', 'nats.conf', 'deploy/systemd']
const MONITORING = 'deploy/monitoring'

export type ReleaseFile = { name: string; content: Buffer }

/** `time`: seconds since 1970, of all that is packed. */
export function releaseFiles(clone: string, version: string, time: number): ReleaseFile[] {
  const packed = (name: string, entries: Entries) => ({ name, content: gzipSync(tarOf(entries, time)) })
  const alerts = readFileSync(join(clone, MONITORING, 'alerts.yaml'))
  const chart = trackedEntries(clone, ['deploy/chart'], (path) => path.replace('deploy/chart/', 'parley/'))
  chart.set('parley/files/alerts.yaml', file(alerts))
  return [
    packed(
      `parley-${version}.tar.gz`,
      trackedEntries(clone, SERVER, (path) => `parley-${version}/${path}`),
    ),
    // Helm expects this name.
    packed(`parley-${version}.tgz`, chart),
    packed(
      `parley-${version}-compose.tar.gz`,
      trackedEntries(clone, ['deploy/compose'], (path) => path.replace('deploy/compose', `parley-${version}-compose`)),
    ),
    packed(
      `parley-${version}-monitoring.tar.gz`,
      trackedEntries(clone, [MONITORING], (path) => path.replace(MONITORING, `parley-${version}-monitoring`)),
    ),
    clientPackage(clone),
    { name: `parley-${version}.changes.md`, content: Buffer.from(changesOf(clone, version)) },
  ]
}

/** The files that git knows below these paths. Links are left out. */
function trackedEntries(clone: string, paths: readonly string[], place: (path: string) => string): Entries {
  const listed = execFileSync('git', ['ls-files', '--stage', '-z', ...paths], { cwd: clone, encoding: 'utf8' })
  const entries: Entries = new Map()
  for (const line of listed.split('\0').filter(Boolean)) {
    const [, mode, path] = /^(\d+) \w+ \d\t(.*)$/s.exec(line)!
    if (mode === '120000') continue
    entries.set(place(path!), file(readFileSync(join(clone, path!)), mode === '100755' ? 0o755 : 0o644))
  }
  return entries
}

/** `@parley/client`, as `npm install` takes it. */
function clientPackage(clone: string): ReleaseFile {
  const folder = mkdtempSync(join(tmpdir(), 'parley-client-'))
  try {
    const program = join(clone, 'test/client/run_pack.ts')
    const output = execFileSync(process.execPath, [program, folder], { cwd: clone, encoding: 'utf8', env: withoutPlace() })
    const name = output.trim().split('\n').at(-1)!
    return { name, content: readFileSync(join(folder, name)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** npm tells scripts where it was called, and the packing would put its file there. */
function withoutPlace(): NodeJS.ProcessEnv {
  const { INIT_CWD: _, ...rest } = process.env
  return rest
}

/**
 * The chapter of the version in the changelog, or that of what is not released yet.
 * @throws {Error} when there is neither
 */
function changesOf(clone: string, version: string): string {
  const chapters = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m)
  const titled = (title: string) => chapters.find((chapter) => chapter.startsWith(`## ${title}`))
  const chapter = titled(version) ?? titled('Unreleased')
  if (!chapter) throw new Error(`CHANGELOG.md has no chapter "## ${version}".`)
  return `# Parley ${version}\n${chapter.slice(chapter.indexOf('\n'))}`
}
