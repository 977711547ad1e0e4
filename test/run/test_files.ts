/** Chooses the test files of a run, and their order. */
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandLine } from './command_line.ts'
import { changedFiles, listedFiles, reachedTests } from './reach.ts'

const TEST = /\.test\.ts$/
/** Files whose outcome needs killed, stopped or cut-off processes, whole programs, or much time. */
const LONG = /\.long\.test\.ts$/

export type Chosen = {
  files: string[]
  /** The number of reached files that belong to the other part. */
  elsewhere: number
}

/** Throws git's error for a name that is no commit. */
export function chooseFiles(root: string, { part, named, changed_since }: CommandLine): Chosen {
  const is_of_part = (file: string) => LONG.test(file) === (part === 'long')
  if (changed_since !== undefined) {
    const reached = reachedTests(root, listedFiles(root), changedFiles(root, changed_since))
    const files = reached.filter(is_of_part)
    return { files, elsewhere: reached.length - files.length }
  }
  const isDirectory = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false
  const within = (path: string) =>
    readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      .filter((file) => TEST.test(file) && is_of_part(file))
  const paths = named.length > 0 ? named : ['test']
  return { files: paths.flatMap((path) => (isDirectory(path) ? within(path).sort() : [path])), elsewhere: 0 }
}

/** Tests that start nodes, servers or other processes may take a minute, and begin in this part of the run. */
const MAYBE_SLOW = /^test\/(?:e2e|docs|cli|faults|simulation|process|runtime|actors\/knowledge)\//
const BEGINNING = 0.7

/**
 * Files of one directory wait for alike things, so they run apart: some wait while others work. Files that take long do
 * not come last, because cores would be idle at the end of the run.
 */
export function mixed(files: readonly string[]): string[] {
  const place = (file: string) =>
    createHash('sha1').update(file).digest().readUInt32BE() * (MAYBE_SLOW.test(file) ? BEGINNING : 1)
  const places = new Map(files.map((file) => [file, place(file)]))
  return files.toSorted((a, b) => places.get(a)! - places.get(b)!)
}
