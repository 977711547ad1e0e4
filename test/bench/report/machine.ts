import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { quantile } from './figures.ts'

/** The facts about the machine that a reader needs to judge a figure. `fsync_ms` is one 4 KiB append synced to disk. */
export type Machine = {
  date: string
  cpu: string
  cores: number
  memory_gib: number
  system: string
  node: string
  fsync_ms: number
}

/** Describes this machine; the sync time is the median of 50 in `directory`, where the servers keep their data. */
export function describeMachine(directory: string): Machine {
  return {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    fsync_ms: medianSync(join(directory, 'sync')),
  }
}

function medianSync(path: string): number {
  const file = openSync(path, 'w')
  const page = Buffer.alloc(4096, 1)
  const times = Array.from({ length: 50 }, () => {
    const start = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  rmSync(path)
  return quantile(times, 0.5)
}
