/** Chromium for tests: an installed one, else Debian's, unpacked without root together with its libraries and a font. */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unpacked } from '../compat/debian.ts'

export type Chromium = {
  executablePath: string
  /** Beyond the environment of the tests. */
  env: Record<string, string>
}

const INSTALLED = '/usr/bin/chromium'

/** `PARLEY_CHROMIUM` names another one. The first time it downloads about 110 MB, and keeps 350 MB for the next run. */
export async function findChromium(): Promise<Chromium> {
  const named = process.env.PARLEY_CHROMIUM ?? (existsSync(INSTALLED) ? INSTALLED : undefined)
  if (named) return { executablePath: named, env: {} }
  const home = await unpacked('chromium', release(), (apt) =>
    apt('install', '--yes', '--download-only', '--no-install-recommends', 'chromium', 'fonts-inter'),
  )
  const libraries = globSync('{usr/,}lib/*-linux-gnu*/{*,*/*}.so*', { cwd: home }).map((file) =>
    join(home, dirname(file)),
  )
  return {
    executablePath: join(home, 'usr/lib/chromium/chromium'),
    env: { LD_LIBRARY_PATH: [...new Set(libraries)].join(':'), FONTCONFIG_FILE: fontsOf(home) },
  }
}

/** Of this machine: the libraries that it has are those that Chromium is built for. */
function release(): string {
  const name = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  if (!name) throw new Error('Chromium is fetched on Debian only; elsewhere PARLEY_CHROMIUM has to name one.')
  return name
}

/** A machine for tests may have no fonts at all, or others: with this one pages have the same width everywhere. */
function fontsOf(home: string): string {
  const file = join(home, 'fonts.conf')
  const cache = join(home, 'font-cache')
  mkdirSync(cache, { recursive: true })
  const same = ['system-ui', 'sans-serif', 'monospace'].map(
    (name) => `<alias binding="same"><family>${name}</family><prefer><family>Inter</family></prefer></alias>`,
  )
  const lines = [`<dir>${join(home, 'usr/share/fonts')}</dir>`, `<cachedir>${cache}</cachedir>`, ...same]
  writeFileSync(file, `<?xml version="1.0"?>\n<fontconfig>\n${lines.join('\n')}\n</fontconfig>\n`)
  return file
}
