/** The public judges of MCP servers, in a directory of their own: they are too large for the dependencies of a test run. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const JUDGES = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
}

/** Installs them where they are missing. */
export async function installJudges(directory: string): Promise<void> {
  const file = join(directory, 'package.json')
  const wanted = JSON.stringify({ private: true, dependencies: JUDGES })
  if (existsSync(join(directory, 'node_modules')) && existsSync(file) && readFileSync(file, 'utf8') === wanted) return
  mkdirSync(directory, { recursive: true })
  writeFileSync(file, wanted)
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory })
}

/** The program of a judge. */
export function programOf(name: keyof typeof JUDGES): string {
  const directory = join(process.env.PARLEY_TEST_MCP_JUDGES!, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  return join(directory, Object.values(bin)[0]!)
}

/** `text`: what it wrote to its standard output; `output`: that and its complaints. */
export type Verdict = { code: number; text: string; output: string }

/** Runs a judge with this Node. Its exit code is the verdict. */
export async function judge(name: keyof typeof JUDGES, ...options: string[]): Promise<Verdict> {
  const cwd = process.env.PARLEY_TEST_MCP_JUDGES!
  try {
    const { stdout, stderr } = await run(process.execPath, [programOf(name), ...options], { cwd, maxBuffer: 64 << 20 })
    return { code: 0, text: stdout, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, text: stdout, output: `${stdout}${stderr}` }
  }
}
