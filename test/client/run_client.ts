/**
 * `npm run test:client`: the tests of the client package with Deno and Bun beside Node, in Chromium, and in a bundle. Deno
 * and Bun are installed in the temporary folder on the first run.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../console/chromium.ts'
import { root } from '../support/root.ts'

const PACKAGES = ['deno@2.9.6', 'bun@1.4.5']

const folder = join(tmpdir(), `parley-runtimes-${PACKAGES.join('-')}`)
const tool = (name: string) => join(folder, 'node_modules/.bin', name)
if (!existsSync(tool('bun'))) {
  mkdirSync(folder, { recursive: true })
  const npm = ['install', '--prefix', folder, '--no-audit', '--no-fund', ...PACKAGES]
  execFileSync('npm', npm, { stdio: 'inherit' })
}
const runtimes = { deno: [tool('deno'), 'run', '--allow-all'], bun: [tool('bun')] }
const tests = [
  'test/e2e/client_package.long.test.ts',
  'test/client/bundle_judged.ts',
  'test/client/client_in_browser.ts',
]
const { status } = spawnSync(process.execPath, ['test/run/run_tests.ts', ...tests], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    PARLEY_TEST_RUNTIMES: JSON.stringify(runtimes),
    PARLEY_TEST_CHROMIUM: JSON.stringify(await findChromium()),
  },
})
process.exit(status ?? 1)
