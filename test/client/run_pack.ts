/** `npm run client:pack`: builds `@parley/client` and packs it for `npm install`, into the given folder or the present one. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from '../support/root.ts'

const source = join(root, 'http/client')
const to = resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? '.')
const folder = mkdtempSync(join(tmpdir(), 'parley-client-'))
try {
  const tsc = join(root, 'node_modules/.bin/tsc')
  execFileSync(tsc, ['--project', source, '--noEmit', 'false', '--outDir', join(folder, 'dist')])
  for (const file of ['package.json', 'README.md']) copyFileSync(join(source, file), join(folder, file))
  execFileSync('npm', ['pack', '--silent', '--pack-destination', to], { cwd: folder, stdio: 'inherit' })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
