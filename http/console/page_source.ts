import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PageSource } from '../server/pages/page_source.ts'

const DIRECTORY = join(import.meta.dirname, 'page')

export const consoleSource: PageSource = {
  name: 'console',
  directory: DIRECTORY,
  modules: ['boot.ts'],
  styles: styles(),
  first: ['app/main.tsx', 'inbox/mod.tsx'],
  alias: {
    'socket.io-client': fileURLToPath(new URL('client-dist/socket.io.esm.min.js', import.meta.resolve('socket.io'))),
  },
}

/** All styles but those that the first ones import. */
function styles(): string[] {
  const first = readFileSync(join(DIRECTORY, 'app/first.css'), 'utf8')
  const imported = [...first.matchAll(/@import "(.+)"/g)].map(([, path]) => join('app', path!))
  return globSync('**/*.css', { cwd: DIRECTORY })
    .filter((place) => !imported.includes(place))
    .sort()
}
