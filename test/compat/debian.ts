/**
 * Packages of other Debian releases, unpacked without root and without touching installed packages. They are kept for
 * the next run.
 */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'
const INSTALLED_POSTGRES = '/usr/lib/postgresql/15/bin'

const store = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley', 'compat')

/** Returns the nats-server of a Debian release. */
export async function natsServerOf(release: string): Promise<string> {
  const home = await unpacked(`nats-server-${release}`, release, (apt) => apt('download', 'nats-server'))
  return join(home, 'usr/sbin/nats-server')
}

/** Returns the directory of PostgreSQL 15's binaries: the installed ones, or else those of Debian 12. */
export async function postgres15(): Promise<string> {
  if (existsSync(join(INSTALLED_POSTGRES, 'initdb'))) return INSTALLED_POSTGRES
  const home = await unpacked('postgresql-15', 'bookworm', (apt) =>
    // The download includes the libraries that this machine lacks.
    apt('install', '--yes', '--download-only', '--no-install-recommends', 'postgresql-15'),
  )
  const bin = join(home, 'bin')
  mkdirSync(bin, { recursive: true })
  const libraries = globSync('usr/lib/*-linux-gnu*', { cwd: home }).map((directory) => join(home, directory))
  for (const name of ['postgres', 'initdb']) {
    const program = join(home, 'usr/lib/postgresql/15/bin', name)
    writeFileSync(join(bin, name), `#!/bin/sh\nLD_LIBRARY_PATH='${libraries.join(':')}' exec '${program}' "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

/**
 * Unpacks the downloads of `fetch` from a Debian release, under a name in the cache. Resolves to their directory there.
 */
export async function unpacked(
  name: string,
  release: string,
  fetch: (apt: (...args: string[]) => Promise<unknown>) => Promise<unknown>,
): Promise<string> {
  const home = join(store, name)
  if (existsSync(home)) return home
  process.stdout.write(`fetching ${name}\n`)
  mkdirSync(store, { recursive: true })
  const work = mkdtempSync(join(store, 'fetch-'))
  try {
    const packages = join(work, 'archives')
    for (const directory of ['lists/partial', 'archives/partial', 'root'])
      mkdirSync(join(work, directory), { recursive: true })
    const sources = join(work, 'sources.list')
    writeFileSync(sources, `deb [signed-by=${KEYS}] ${await mirror()} ${release} main\n`)
    const options = [
      'APT::Sandbox::User=root',
      `Dir::Etc::SourceList=${sources}`,
      'Dir::Etc::SourceParts=/dev/null',
      `Dir::State::Lists=${join(work, 'lists')}`,
      `Dir::Cache=${work}`,
      'Debug::NoLocking=true',
      'Acquire::Languages=none',
    ].flatMap((option) => ['-o', option])
    const apt = (...args: string[]) => run('apt-get', ['-q', ...options, ...args], { cwd: packages })
    await apt('update')
    await fetch(apt)
    const files = readdirSync(packages).filter((file) => file.endsWith('.deb'))
    if (files.length === 0) throw new Error(`apt-get downloaded nothing for ${name}`)
    for (const file of files) await run('dpkg', ['-x', join(packages, file), join(work, 'root')])
    renameSync(join(work, 'root'), home)
    return home
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Returns the mirror of this machine's Debian, which also has the other releases. */
async function mirror(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Identifier: Packages'])
  const found = stdout.split('\n').find((uri) => /\/debian\/?$/.test(uri))
  if (!found) throw new Error('This machine has no Debian archive among its package sources.')
  return found
}
