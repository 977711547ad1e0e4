/** The client as other programs have it: built, and installed in a folder of its own. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf } from '../docs/markdown.ts'
import { root } from '../support/root.ts'

const source = join(root, 'http/client')
const tsc = join(root, 'node_modules/.bin/tsc')

/** Installs the package as `npm run client:pack` packs it into `node_modules` of the folder. */
export function installClient(folder: string): void {
  const to = join(folder, 'node_modules/@parley/client')
  mkdirSync(to, { recursive: true })
  execFileSync(process.execPath, [join(root, 'test/client/run_pack.ts'), folder])
  execFileSync('tar', ['-xzf', join(folder, 'parley-client-0.1.0.tgz'), '-C', to, '--strip-components=1'])
}

/** A program of all `ts` blocks of the README, and `more`. It throws when a block fails. Returns its file. */
export function readmeProgram(folder: string, base_url: string, more: string): string {
  const blocks = blocksOf(readFileSync(join(source, 'README.md'), 'utf8')).filter(({ language }) => language === 'ts')
  const text = [...blocks.map(({ code }) => code), more].join('\n').replaceAll('http://127.0.0.1:8080', base_url)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'program.ts'), text)
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const options = [
    '--ignoreConfig',
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom,dom.iterable,dom.asynciterable',
  ]
  execFileSync(tsc, [...options, '--module', 'nodenext', '--skipLibCheck', ...types, 'program.ts'], { cwd: folder })
  return join(folder, 'program.js')
}
