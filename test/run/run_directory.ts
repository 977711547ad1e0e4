import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Free bytes below which a run stays on disk. A run of all tests needs about 1 GB. */
const ENOUGH = 6e9
const NAME = /^parley-run-(\d+)-/

/**
 * A directory for all files of a test run, in memory where there is enough of it: PostgreSQL creates and drops a few hundred
 * databases in a run, which costs a third of a second of CPU each on a disk with ext4. A run that was killed leaves its
 * directory, and the next run removes it.
 */
export function makeRunDirectory(): string {
  const parent = hasMemory() ? MEMORY : tmpdir()
  for (const name of readdirSync(parent)) {
    const [, pid] = NAME.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) removeRunDirectory(join(parent, name))
  }
  return mkdtempSync(join(parent, `parley-run-${process.pid}-`))
}

/** Removes the files of a run. Containers that outlived their test may hold some: that is said, and is no reason to run no tests. */
export function removeRunDirectory(path: string): void {
  const overlays = globSync('*/storage/overlay', { cwd: path }).map((name) => join(path, name))
  if (overlays.length > 0) spawnSync('umount', ['--lazy', ...overlays])
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    process.stderr.write(`${path} stays: ${(error as Error).message}\n`)
  }
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, freemem()) > ENOUGH
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
