/**
 * `npm run test:mcp`: the public conformance suite and the command line of the inspector judge the MCP endpoint. The first run
 * installs both in a directory of their own.
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/root.ts'
import { installJudges } from './judges.ts'

const directory = process.env.PARLEY_TEST_MCP_JUDGES ?? join(tmpdir(), 'parley-mcp-judges')
await installJudges(directory)
const child = spawn(
  process.execPath,
  ['test/run/run_tests.ts', ...globSync('test/mcp/*_judged.ts', { cwd: root }).sort()],
  {
    cwd: root,
    env: { ...process.env, PARLEY_TEST_MCP_JUDGES: directory },
    stdio: 'inherit',
  },
)
child.once('close', (code) => {
  process.exitCode = code ?? 1
})
