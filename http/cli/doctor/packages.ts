import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../connection/connection.ts'
import { type Finding, findings } from './finding.ts'

/** From this version on TypeScript runs without a flag. */
const MIN_NODE = [22, 18] as const

export function checkNode(): Finding[] {
  const { ok, fail } = findings('node')
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const is_recent = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])
  if (is_recent) return [ok(`Node.js ${process.versions.node} runs this.`)]
  return [fail(`Node.js ${process.versions.node} is too old: run \`npm run setup\`, which brings its own.`)]
}

type Locked = { version?: string; optional?: boolean; dev?: boolean; devOptional?: boolean }

/** Compares the installed packages with the lock file, without development tools. */
export function checkPackages(): Finding[] {
  const { ok, fail } = findings('packages')
  const advice = 'run `npm run setup`'
  const present = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(present)) return [fail(`The packages are not installed: ${advice}.`)]
  const read = (file: string): Record<string, Locked> => JSON.parse(readFileSync(file, 'utf8')).packages
  const installed = read(present)
  const needed = Object.entries(read(join(root, 'package-lock.json'))).filter(
    ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
  )
  const wrong = needed.filter(([path, { version, optional }]) => {
    const found = installed[path]
    return found ? found.version !== version : !optional
  })
  if (wrong.length === 0) return [ok(`All ${needed.length} packages are those of the lock file.`)]
  const names = wrong.slice(0, 3).map(([path]) => path.replace(/^.*node_modules\//, ''))
  const rest = wrong.length > 3 ? ` and ${wrong.length - 3} more` : ''
  return [fail(`${names.join(', ')}${rest} differ from the lock file: ${advice}.`)]
}
