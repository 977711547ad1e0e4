/**
 * Chromium for tests: an installed one, or else Debian's, unpacked without root together with its libraries and a font.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unpacked } from '../compat/debian.ts'

export type Chromium = {
  executablePath: string
  /** Variables beyond the environment of the tests. */
  env: Record<string, string>
}

const INSTALLED = '/usr/bin/chromium'

/**
 * Finds or fetches Chromium. `PARLEY_CHROMIUM` names another one. The first run downloads about 110 MB, and keeps 350
 * MB for the next.
 */
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

/** Returns the Debian release of this machine: Chromium has to fit the libraries that are installed. */
function release(): string {
  const name = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  if (!name) throw new Error('Chromium is fetched on Debian only; elsewhere PARLEY_CHROMIUM has to name one.')
  return name
}

/**
 * Configures one font: test machines may have no fonts or others, and with this one pages have the same width
 * everywhere.
 */
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
