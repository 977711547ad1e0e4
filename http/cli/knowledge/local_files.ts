/** The files of a directory that are documents. */
import { createHash } from 'node:crypto'
import { createReadStream, type Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'

export type LocalFile = {
  path: string
  name: string
  /** Names of the directories between the one that was given and the file. */
  folders: string[]
  size: number
  /** Time of the last change in milliseconds. */
  changed: number
}

/** Endings of files that a directory's import takes. The server looks at the bytes. */
export const endings = ['md', 'markdown', 'mdx', 'txt', 'text', 'rst', 'adoc', 'org', 'csv', 'html', 'htm', 'pdf']

/** Never documents, and often huge. */
const SKIPPED = new Set(['node_modules', '__pycache__'])

/**
 * The documents at a path, by name: the file itself whatever its ending, or those of a directory and all below it.
 * Hidden entries and links are left out. `ignored`: files with other endings.
 */
export async function findDocuments(path: string): Promise<{ files: LocalFile[]; ignored: number }> {
  const found = await stat(path)
  if (!found.isDirectory()) return { files: [fileOf(path, [], found)], ignored: 0 }
  const files: LocalFile[] = []
  let ignored = 0
  const walk = async (directory: string, folders: string[]): Promise<void> => {
    const entries = await readdir(directory, { withFileTypes: true })
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const inside = join(directory, entry.name)
      if (isSkipped(entry)) continue
      if (entry.isDirectory()) await walk(inside, [...folders, entry.name])
      else if (!endings.includes(extname(entry.name).slice(1).toLowerCase())) ignored++
      else {
        // A file may be gone by now.
        const about = await stat(inside).catch(() => undefined)
        if (about) files.push(fileOf(inside, folders, about))
      }
    }
  }
  await walk(path, [])
  return { files, ignored }
}

export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

function isSkipped(entry: Dirent): boolean {
  return entry.name.startsWith('.') || SKIPPED.has(entry.name) || (!entry.isFile() && !entry.isDirectory())
}

function fileOf(path: string, folders: string[], { size, mtimeMs }: { size: number; mtimeMs: number }): LocalFile {
  return { path, name: basename(resolve(path)), folders, size, changed: mtimeMs }
}
