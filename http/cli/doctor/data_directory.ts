import { existsSync, statfsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { checkWritable } from '../../../storage/mod.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn, fail } = findings('data directory')

const MIB = 1024 * 1024
/** An embedded start writes about 150 MiB before its first message. */
const MIN_FREE_MIB = 300
const ENOUGH_FREE_MIB = 2_048

export async function checkDataDirectory({ config, pid, readiness }: DoctorContext): Promise<Finding[]> {
  const { data_dir } = config
  const exists = existsSync(data_dir)
  const nearest = exists ? data_dir : firstAncestor(data_dir)
  if (!statSync(nearest).isDirectory()) return [fail(`${nearest} is not a directory: set PARLEY_DATA_DIR to another.`)]
  const owner = statSync(nearest).uid
  const trouble = await troubleOf(nearest)
  if (trouble !== undefined) {
    const as_owner = trouble === 'EACCES' ? `start Parley as its owner (user id ${owner}), or ` : ''
    return [
      fail(
        `${nearest} cannot be written by ${userName()} (${trouble}): ${as_owner}set PARLEY_DATA_DIR to another directory.`,
      ),
    ]
  }
  const free_mib = freeMib(nearest)
  if (free_mib < MIN_FREE_MIB) return [fail(`${nearest} has ${free_mib} MiB left: make room.`)]
  const state = exists ? `${data_dir} is usable` : `${data_dir} does not exist yet and can be made`
  const found = [inUse(data_dir, pid, readiness) ?? ok(`${state}.`)]
  if (free_mib < ENOUGH_FREE_MIB) found.push(warn(`${nearest} has only ${free_mib} MiB left: make room soon.`))
  const uid = process.getuid?.()
  if (exists && uid !== undefined && owner !== uid && pid === undefined) {
    found.push(
      warn(`It belongs to user id ${owner} and you are ${uid}: files you make there may be closed to its owner.`),
    )
  }
  return found
}

/** A process that has the directory and is not the one on our port prevents a start. */
function inUse(data_dir: string, pid: number | undefined, readiness: DoctorContext['readiness']): Finding | undefined {
  if (pid === undefined) return undefined
  if (readiness) return ok(`${data_dir} belongs to the Parley that runs (process ${pid}).`)
  return warn(
    `${data_dir} is in use by the Parley with process id ${pid}: stop that one, or set PARLEY_DATA_DIR to another directory.`,
  )
}

function firstAncestor(path: string): string {
  const parent = dirname(path)
  return existsSync(parent) || parent === path ? parent : firstAncestor(parent)
}

/** The system's code when nothing can be written. Permissions alone would say nothing about a read-only file system. */
async function troubleOf(directory: string): Promise<string | undefined> {
  try {
    await checkWritable(directory)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  }
}

/** Containers often run as a user id without an account. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user id ${process.getuid?.()}`
  }
}

function freeMib(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return Math.floor((bavail * bsize) / MIB)
}
