/**
 * `npm run test:console`: the console and the web chat in a real browser; `-- <file>…` runs these files only. The first
 * run fetches Chromium where there is none. Screenshots of every page in both color schemes go to the directory that
 * the run names.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/root.ts'
import { findChromium } from './chromium.ts'

const named = process.argv.slice(2)
const PAGES = named.length > 0 ? named : globSync('test/console/*_in_browser.ts', { cwd: root }).sort()

const pictures = process.env.PARLEY_TEST_PICTURES ?? join(tmpdir(), `parley-console-${process.pid}`)
mkdirSync(pictures, { recursive: true })
const child = spawn(process.execPath, ['test/run/run_tests.ts', ...PAGES], {
  cwd: root,
  env: {
    ...process.env,
    PARLEY_TEST_PICTURES: pictures,
    // A browser and the servers of a test keep a core busy.
    PARLEY_TEST_LANES: String(availableParallelism()),
    PARLEY_TEST_CHROMIUM: JSON.stringify(await findChromium()),
  },
  stdio: 'inherit',
})
child.once('close', (code) => {
  process.stdout.write(`screenshots: ${pictures}\n`)
  process.exitCode = code ?? 1
})
