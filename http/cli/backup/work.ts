import { statSync } from 'node:fs'
import { BackupError, readBackupFile, TablesInUse, VaultError } from '../../../storage/mod.ts'
import { reasonOf } from '../node/database_reason.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { untilInterrupted } from '../terminal/interrupt.ts'
import type { Progress } from '../terminal/progress.ts'

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
export function fileWithProgress(path: string, progress: Progress, signal?: AbortSignal): () => AsyncIterable<Buffer> {
  let total: number
  try {
    total = statSync(path).size
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  return readBackupFile(path, (bytes) => {
    signal?.throwIfAborted()
    showBytes(progress, bytes, total)
  })
}

/**
 * Runs the work until it ends or is interrupted, and turns its failures into sentences.
 *
 * @param outcome says how far the work came, when it was interrupted or a server, a disk or a connection failed
 * @throws {CommandFailure}
 */
export async function withProgress<Result>(
  progress: Progress,
  outcome: () => string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return untilInterrupted(async (signal) => {
    try {
      return await work(signal)
    } catch (error) {
      progress.clear()
      // A sentence of its own is true whatever interrupted the work.
      if (error instanceof CommandFailure) throw error
      const is_known = [BackupError, VaultError, TablesInUse].some((kind) => error instanceof kind)
      if (is_known) throw new CommandFailure((error as Error).message)
      if (signal.aborted) throw new CommandFailure(`Stopped. ${outcome()}`.trim())
      // Errors of servers, disks and connections have a code. Others are bugs.
      if (typeof (error as { code?: unknown }).code !== 'string') throw error
      throw new CommandFailure(`${reasonOf(error)}. ${outcome()}`.trim())
    } finally {
      progress.clear()
    }
  })
}

/** @throws {CommandFailure} one for all steps that the work left undone */
export function mustBeFinished(unfinished: readonly string[]): void {
  if (unfinished.length > 0) throw new CommandFailure(unfinished.join('\n'))
}

/** Does one more thing after the work itself is done. A failure becomes a sentence, not a failure of the work. */
export async function afterwards(what: string, work: () => Promise<void>): Promise<string[]> {
  try {
    await work()
    return []
  } catch (error) {
    return [`${what} (${(error as Error).message}).`]
  }
}
