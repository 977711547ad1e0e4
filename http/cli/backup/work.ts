import { statSync } from 'node:fs'
import { BackupError, readBackupFile, TablesInUse, VaultError } from '../../../storage/mod.ts'
import { CommandFailure } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import type { Progress } from '../progress.ts'

const MIB = 1024 * 1024

/** Bytes for people. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < MIB ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`
}

export function showBytes(progress: Progress, done: number, total: number): void {
  progress.show(Math.floor(done / MIB), Math.max(Math.ceil(total / MIB), 1), ' MiB')
}

/** Opens a file from its beginning, and shows how much of it is read. */
export function shownFile(path: string, progress: Progress): () => AsyncIterable<Buffer> {
  let total: number
  try {
    total = statSync(path).size
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  return readBackupFile(path, (bytes) => showBytes(progress, bytes, total))
}

/**
 * Runs the work until it ends or is interrupted, and turns its failures into sentences.
 *
 * @throws {CommandFailure} `stopped` when it was interrupted
 */
export async function withProgress<Result>(
  progress: Progress,
  stopped: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return untilInterrupted(async (signal) => {
    try {
      return await work(signal)
    } catch (error) {
      progress.clear()
      if (signal.aborted) throw new CommandFailure(stopped)
      const is_known = [BackupError, VaultError, TablesInUse].some((kind) => error instanceof kind)
      if (is_known) throw new CommandFailure((error as Error).message)
      throw error
    } finally {
      progress.clear()
    }
  })
}
