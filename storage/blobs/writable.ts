import { randomBytes } from 'node:crypto'
import { open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a byte to the disk below a directory, or below the nearest one that exists, and removes it. Permissions alone say
 * nothing about a full disk or a file system that is read-only. Rejects with the system's error.
 */
export async function checkWritable(directory: string): Promise<void> {
  const path = join(await nearest(directory), `check-${randomBytes(6).toString('hex')}`)
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile('.')
    await file.sync()
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}

async function nearest(path: string): Promise<string> {
  const parent = dirname(path)
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || parent === path) throw error
  })
  if (!found) return nearest(parent)
  if (found.isDirectory()) return path
  throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: 'ENOTDIR', syscall: 'open', path })
}
