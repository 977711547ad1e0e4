/**
 * `npm run test:clients`: two generators make clients of the descriptions, and the clients compile under `--strict`. The
 * first run installs the generators in a directory of their own, with the TypeScript that they need.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiNames, described } from '../support/described.ts'
import { root } from '../support/root.ts'

const GENERATORS = ['openapi-typescript@7.13.0', '@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3']

const directory = process.env.PARLEY_TEST_GENERATORS ?? join(tmpdir(), 'parley-generators')
const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: directory, stdio: 'inherit' })

if (!existsSync(join(directory, 'node_modules'))) {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n')
  run('npm', 'install', '--save-exact', '--no-audit', '--no-fund', '--ignore-scripts', ...GENERATORS)
}
rmSync(join(directory, 'made'), { recursive: true, force: true })
mkdirSync(join(directory, 'made'))
for (const name of apiNames) {
  // A relative path would be taken for the name of a registry.
  const file = join(directory, `made/${name}.json`)
  writeFileSync(file, JSON.stringify(described(name)))
  run(process.execPath, 'node_modules/openapi-typescript/bin/cli.js', file, '-o', `made/${name}.d.ts`)
  run(process.execPath, 'node_modules/@hey-api/openapi-ts/bin/run.js', '-i', file, '-o', `made/${name}`)
}
const compilerOptions = {
  ...{ strict: true, noEmit: true, target: 'ES2022', module: 'ESNext', moduleResolution: 'bundler', types: [] },
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
}
writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['made'] }))
run(join(root, 'node_modules/.bin/tsc'), '-p', '.')
process.stdout.write('The clients of both generators compile.\n')
