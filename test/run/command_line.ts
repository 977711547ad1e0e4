/** The words after `npm test --` and `npm run test:long --`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { endWith } from '../support/options.ts'
import { root } from '../support/root.ts'

const USAGE = `Usage: npm test -- [files and directories]
       npm test -- --changed [commit]
       npm run test:long -- [files and directories]
       npm run test:long -- --changed [commit]

  files and directories   run only these; a file may be of either part, a directory stands for its files of this part
  --changed [commit]      run the checks, and the tests that a change since the commit can reach (default HEAD)`

export type CommandLine = {
  /** The part of the tests: `*.long.test.ts` or the others. */
  part: 'fast' | 'long'
  /** Files and directories that were named. Empty: all of the part. */
  named: string[]
  /** The commit that a change is compared with. */
  changed_since: string | undefined
}

/** Ends the process for an option or a path that does not exist. */
export function readCommandLine(words: readonly string[]): CommandLine {
  const rest = [...words]
  const part = rest[0] === '--long' ? 'long' : 'fast'
  if (part === 'long') rest.shift()
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`${USAGE}\n`)
    process.exit(0)
  }
  if (rest[0] === '--changed') {
    if (rest.length > 2) endWith(`--changed takes one commit.\n${USAGE}`)
    return { part, named: [], changed_since: rest[1] ?? 'HEAD' }
  }
  const unknown = rest.find((word) => word.startsWith('-'))
  if (unknown) endWith(`Unknown option ${unknown}.\n${USAGE}`)
  const missing = rest.find((path) => !existsSync(join(root, path)))
  if (missing) endWith(`${missing} does not exist.\n${USAGE}`)
  return { part, named: rest, changed_since: undefined }
}
