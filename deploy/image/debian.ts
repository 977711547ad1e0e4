/**
 * The few files of the distribution that the image needs. They come from the packages of the machine's own distribution,
 * checked by apt, and are unpacked without root.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sumOf } from './oci.ts'
import { type Entries, entriesOf, file, link } from './tar.ts'

const run = promisify(execFile)

export type DebianPackage = { name: string; version: string; architecture: string; sha256: string; license: string }

/** Files by package. Each also brings its licence. */
export type Wanted = Record<string, RegExp>

/** Directories that are links since Debian joined `/` and `/usr`. */
const JOINED = ['bin', 'lib', 'lib32', 'lib64', 'sbin']

/** `debs`: a directory with files of packages, as an earlier build kept them; it is filled when it is empty. */
export async function debianRoot(
  wanted: Wanted,
  debs: string,
): Promise<{ entries: Entries; packages: DebianPackage[] }> {
  mkdirSync(debs, { recursive: true })
  const isPackage = (name: string) => name.endsWith('.deb')
  if (!readdirSync(debs).some(isPackage)) await download(Object.keys(wanted), debs)
  const work = mkdtempSync(join(tmpdir(), 'parley-debian-'))
  try {
    const entries: Entries = new Map(JOINED.map((name) => [name, link(`usr/${name}`)]))
    const packages: DebianPackage[] = []
    for (const deb of readdirSync(debs).filter(isPackage).sort()) {
      const path = join(debs, deb)
      const { stdout: control } = await run('dpkg-deb', ['-f', path])
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? ''
      const name = field('Package')
      const files = wanted[name]
      if (!files) throw new Error(`${path} is none of ${Object.keys(wanted).join(', ')}: remove it.`)
      const root = join(work, name)
      await run('dpkg-deb', ['-x', path, root])
      const licence = `usr/share/doc/${name}/copyright`
      let license = ''
      for (const [at, entry] of entriesOf(root)) {
        if (entry.kind === 'directory' || !(files.test(at) || at === licence)) continue
        entries.set(JOINED.some((top) => at.startsWith(`${top}/`)) ? `usr/${at}` : at, entry)
        if (at === licence && entry.kind === 'file') license = entry.content.toString()
      }
      // Scanners for known weaknesses read here what is installed.
      entries.set(`var/lib/dpkg/status.d/${name}`, file(control))
      const [version, architecture] = [field('Version'), field('Architecture')]
      packages.push({ name, version, architecture, sha256: sumOf(readFileSync(path)), license })
    }
    const missing = Object.keys(wanted).filter((name) => !packages.some((present) => present.name === name))
    if (missing.length > 0)
      throw new Error(`${debs} lacks ${missing.join(', ')}: empty it, and they are fetched again.`)
    return { entries, packages }
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** Uses lists of its own where the machine has none, or stale ones. */
async function download(names: string[], directory: string): Promise<void> {
  const options = ['-q', '-o', 'APT::Sandbox::User=root']
  const apt = (args: string[]) => run('apt-get', [...options, ...args], { cwd: directory })
  try {
    await apt(['download', ...names])
  } catch {
    const lists = mkdtempSync(join(tmpdir(), 'parley-lists-'))
    try {
      for (const needed of ['lists/partial', 'archives/partial']) mkdirSync(join(lists, needed), { recursive: true })
      const own = [`Dir::State::Lists=${join(lists, 'lists')}`, `Dir::Cache=${lists}`, 'Debug::NoLocking=true']
      options.push(...own.flatMap((option) => ['-o', option]))
      await apt(['update'])
      await apt(['download', ...names])
    } finally {
      rmSync(lists, { recursive: true })
    }
  }
}
