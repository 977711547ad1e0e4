/** The test files that a change can reach, for `npm test -- --changed`. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A change of one of these files may affect every test. */
const OF_ALL = /^(?:package(?:-lock)?\.json|tsconfig\.json|\.taprc|runtime\/bootstrap\.mjs|test\/run\/\w+\.(?:ts|mjs))$/
const CODE = /\.(?:tsx?|mjs|js)$/
const TEST = /\.test\.ts$/
/** These files list paths that they do not open. */
const RULES = /^test\/checks\/\w+_rules\.ts$/

/**
 * Returns the files that differ from a commit, and the files that git does not track yet.
 *
 * @throws git's error for a name that is no commit
 */
export function changedFiles(root: string, commit: string): string[] {
  return [
    ...git(root, 'diff', '--name-only', '--relative', commit, '--'),
    ...git(root, 'ls-files', '--others', '--exclude-standard'),
  ]
}

/** Returns all files of the repository, including the files that git does not track yet. */
export function listedFiles(root: string): string[] {
  return git(root, 'ls-files', '--cached', '--others', '--exclude-standard').filter((file) =>
    existsSync(join(root, file)),
  )
}

/**
 * Returns the test files among `files` that a change of `changed` can reach. A change of a file reaches the files that
 * import it, and the files that name it or its directory in a text: tests start programs and read pages by their paths.
 */
export function reachedTests(root: string, files: readonly string[], changed: readonly string[]): string[] {
  const tests = files.filter((file) => TEST.test(file))
  if (changed.some((file) => OF_ALL.test(file))) return tests
  const known = new Set(files)
  const users = new Map<string, string[]>()
  for (const file of files.filter((one) => CODE.test(one))) {
    for (const used of namesIn(root, file, known)) users.set(used, [...(users.get(used) ?? []), file])
  }
  const reached = new Set(changed)
  // The loop also visits the files that it adds to the set.
  for (const file of reached) {
    for (const user of users.get(file) ?? []) reached.add(user)
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      for (const user of users.get(`${folder}/`) ?? []) reached.add(user)
    }
  }
  return tests.filter((file) => reached.has(file))
}

/** Returns the files and directories (with a slash at the end) that a file names, relative to itself or to the root. */
function namesIn(root: string, file: string, known: ReadonlySet<string>): Set<string> {
  const names = new Set<string>()
  for (const [, text] of readFileSync(join(root, file), 'utf8').matchAll(/'([\w./-]+)'/g)) {
    for (const path of [join(dirname(file), text!), normalize(text!)]) {
      if (path.startsWith('..') || path === file) continue
      if (known.has(path)) names.add(path)
      else if (!RULES.test(file) && isFolder(root, path, file)) names.add(`${path.replace(/\/$/, '')}/`)
    }
  }
  return names
}

/** Returns true for the file's own folder and for a whole room: a file that names one of these opens nothing in it. */
function isFolder(root: string, path: string, file: string): boolean {
  const folder = path.replace(/\/$/, '')
  if (!folder.includes('/') || file.startsWith(`${folder}/`)) return false
  return statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() ?? false
}

function git(root: string, ...args: string[]): string[] {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
}
