/** One test file in a process of its own. tap writes what happens as TAP on the standard output. */
import { spawn } from 'node:child_process'
import { root } from './checks.ts'

export type FileResult = {
  file: string
  passed: number
  failed: number
  seconds: number
  /** For people: what failed, what was commented, and all of the standard error. Empty when there is nothing to say. */
  report: string
}

/** Seconds a file may take before it fails, unless it asks for more with `t.setTimeout`. */
const TIMEOUT_S = 120
/** Seconds after which even a file that asked for more is killed: its own clock must have stopped. */
const KILLED_AFTER_S = 900

/**
 * Never rejects. Without `tap run` between: that loads tools for coverage into every process and every child of it, which
 * takes longer than most tests.
 */
export function runFile(file: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<FileResult> {
  const began = performance.now()
  const child = spawn(process.execPath, [file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { TAP_TIMEOUT: String(TIMEOUT_S), ...env, TAP: '1' },
    signal,
    killSignal: 'SIGTERM',
    timeout: 1000 * KILLED_AFTER_S,
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  child.on('error', (error) => (errors += `${error.message}\n`))
  return new Promise((resolve) => {
    child.once('close', (code, killed) => {
      const { pass, fail } = summaryOf(output)
      // A file that failed without a failed test (a crash, a time-out, no summary) still counts.
      const failed = Math.max(fail, code === 0 ? 0 : 1)
      const ended = failed > fail ? `It ended with ${killed ?? code}.\n` : ''
      const report = (failed > 0 ? failuresOf(output) + ended : '') + errors
      resolve({ file, passed: pass, failed, seconds: (performance.now() - began) / 1000, report })
    })
  })
}

/** tap closes its record with a comment such as `# { total: 12, pass: 11, fail: 1 }`. */
function summaryOf(output: string): { pass: number; fail: number } {
  const summary = output.match(/^# \{ (total: .*) \}$/gm)?.at(-1) ?? ''
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
  return { pass: count('pass'), fail: count('fail') }
}

/** The failed tests with what tap says of them, and all comments. */
function failuresOf(output: string): string {
  const kept: string[] = []
  let inside: string | undefined
  for (const line of output.split('\n')) {
    const indent = /^ */.exec(line)![0]
    // What tap says of the tests around a failed one is said by that one.
    if (inside === undefined && /^ *not ok (?!.* # time=)/.test(line)) inside = indent
    else if (inside !== undefined && !line.startsWith(`${inside}  `) && line !== '') inside = undefined
    if (inside !== undefined || /^ *(?:not ok|Bail out|# (?!Subtest|time=|\{ total))/.test(line)) kept.push(line)
  }
  return kept.length === 0 ? '' : `${kept.join('\n').trimEnd()}\n`
}
