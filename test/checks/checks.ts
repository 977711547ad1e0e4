import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../storage/migrations/list.ts'
import { root } from '../support/root.ts'
import { clockViolations, readSources } from './clock_rules.ts'
import { checkExpressions } from './expression_rules.ts'
import { importViolations, ormViolations, readImports } from './import_rules.ts'
import { linearViolations } from './linear_rules.ts'
import { lintMigrations } from './migration_lint.ts'
import { sqlViolations } from './sql_rules.ts'
import { readTests, steadyViolations } from './steady_rules.ts'

/** Memory of what the files import and export, as the compiler keeps its own (`tsBuildInfoFile` in the settings). */
const USES_CACHE = 'node_modules/.cache/uses'

export type Check = { name: string; passed: boolean; output: string }

/** Runs all checks that do not need the product to run. They do not depend on each other, so they run side by side. */
export function runChecks(): Promise<Check[]> {
  return Promise.all([
    // Each further checker of the compiler checks the shared types again.
    command('types', 'tsc', ['--noEmit', '--checkers', '2']),
    // Without the tests, which may run plain texts as SQL (`test/support/plain_sql.d.ts`).
    command('types of the product', 'tsc', ['--noEmit', '--project', 'tsconfig.product.json']),
    command('types of the pages', 'tsc', ['--noEmit', '--project', 'tsconfig.browser.json']),
    command('types of the client', 'tsc', ['--noEmit', '--project', 'http/client']),
    command('format and lint', 'biome', ['check', '--no-errors-on-unmatched', '--error-on-warnings']),
    imports(),
    clocks(),
    sqlTag(),
    steady(),
    expressions(),
    linear(),
    migrationRules(),
    command('nothing unused', 'knip', [
      '--no-progress',
      '--no-config-hints',
      '--cache',
      '--cache-location',
      USES_CACHE,
    ]),
  ])
}

async function imports(): Promise<Check> {
  const broken = [...importViolations(readImports(root)), ...ormViolations(readSources(root))]
  return { name: 'import rules', passed: broken.length === 0, output: broken.join('\n') }
}

async function clocks(): Promise<Check> {
  const broken = clockViolations(readSources(root))
  return { name: 'clock rules', passed: broken.length === 0, output: broken.join('\n') }
}

async function sqlTag(): Promise<Check> {
  const broken = sqlViolations(readSources(root))
  return { name: 'values of SQL', passed: broken.length === 0, output: broken.join('\n') }
}

async function steady(): Promise<Check> {
  const broken = steadyViolations(readTests(root))
  return { name: 'steady tests', passed: broken.length === 0, output: broken.join('\n') }
}

async function linear(): Promise<Check> {
  const broken = linearViolations(root)
  return { name: 'linear built-ins', passed: broken.length === 0, output: broken.join('\n') }
}

async function expressions(): Promise<Check> {
  const broken = await checkExpressions(root)
  return { name: 'linear regular expressions', passed: broken.length === 0, output: broken.join('\n') }
}

async function migrationRules(): Promise<Check> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const broken = await lintMigrations(root, migrations, version)
  return { name: 'migrations beside running nodes', passed: broken.length === 0, output: broken.join('\n') }
}

function command(name: string, tool: string, args: string[]): Promise<Check> {
  return new Promise((resolve) => {
    const child = spawn(`node_modules/.bin/${tool}`, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.once('error', (error) => resolve({ name, passed: false, output: error.message }))
    child.once('close', (code) => resolve({ name, passed: code === 0, output }))
  })
}

/** Prints each failed check with the output of its tool, and every other check in one line. */
export function printChecks(checks: Check[]): void {
  for (const { name, passed, output } of checks) {
    process.stdout.write(`${passed ? '✔' : '✘'} ${name}\n`)
    if (!passed) process.stdout.write(`${output.trimEnd().replaceAll(/^/gm, '    ')}\n`)
  }
}
