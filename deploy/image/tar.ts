/**
 * Archives of which the same entries always make the same bytes: sorted by name, with one time and one owner, whatever
 * the files on this disk say.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** An entry of an archive at a path, which has no slash at its beginning. */
export type Entry = { mode: number; owner?: number } & (
  | { kind: 'file'; content: Buffer }
  | { kind: 'link'; to: string }
  | { kind: 'directory' }
)
export type Entries = Map<string, Entry>

const BLOCK = 512
/** Longer ones do not fit into the header of the entry. */
const MAX_NAME = 100
const KINDS = { file: '0', link: '2', directory: '5', more: 'x' }

export function directory(mode = 0o755, owner = 0): Entry {
  return { kind: 'directory', mode, owner }
}

export function file(content: Buffer | string, mode = 0o644): Entry {
  return { kind: 'file', content: Buffer.from(content), mode }
}

export function link(to: string): Entry {
  return { kind: 'link', to, mode: 0o777 }
}

/** The files below a directory, with what their modes have in common: an archive does not depend on a `umask`. */
export function entriesOf(root: string, below = ''): Entries {
  const entries: Entries = new Map()
  for (const name of readdirSync(root)) {
    const [path, at] = [join(root, name), join(below, name)]
    const stats = lstatSync(path)
    if (stats.isSymbolicLink()) entries.set(at, link(readlinkSync(path)))
    else if (stats.isFile()) entries.set(at, file(readFileSync(path), stats.mode & 0o100 ? 0o755 : 0o644))
    else if (stats.isDirectory()) {
      entries.set(at, directory())
      for (const [inner, entry] of entriesOf(path, at)) entries.set(inner, entry)
    }
  }
  return entries
}

/** Adds the directories in which entries lie. */
function withParents(entries: Entries): Entries {
  const all: Entries = new Map(entries)
  for (const path of entries.keys()) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end)
      if (!all.has(parent)) all.set(parent, directory())
    }
  }
  return all
}

/** `time`: seconds since 1970, of all entries. */
export function tarOf(entries: Entries, time: number): Buffer {
  const blocks: Buffer[] = []
  const add = (name: string, kind: keyof typeof KINDS, entry: Omit<Entry, 'kind'>, content: Buffer, to = '') => {
    blocks.push(header(name, KINDS[kind], entry, content.length, time, to), content)
    const rest = content.length % BLOCK
    if (rest > 0) blocks.push(Buffer.alloc(BLOCK - rest))
  }
  // Sorted by bytes: a directory comes before what is in it.
  for (const [path, entry] of [...withParents(entries)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const to = entry.kind === 'link' ? entry.to : ''
    const long = [...record('path', path), ...record('linkpath', to)].join('')
    if (long) add('more', 'more', { mode: 0o644 }, Buffer.from(long))
    const name = entry.kind === 'directory' ? `${path}/` : path
    add(name, entry.kind, entry, entry.kind === 'file' ? entry.content : Buffer.alloc(0), to)
  }
  blocks.push(Buffer.alloc(2 * BLOCK))
  return Buffer.concat(blocks)
}

/** The line in which a name stands that is too long for the header. Its length counts its own digits. */
function record(key: string, value: string): string[] {
  if (Buffer.byteLength(value) < MAX_NAME) return []
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (length !== Buffer.byteLength(rest) + String(length).length) {
    length = Buffer.byteLength(rest) + String(length).length
  }
  return [`${length}${rest}`]
}

function header(name: string, kind: string, entry: Omit<Entry, 'kind'>, size: number, time: number, to: string) {
  const block = Buffer.alloc(BLOCK)
  const text = (value: string, at: number, length: number) => block.write(value.slice(0, length), at, 'latin1')
  const octal = (value: number, at: number, length: number) =>
    text(value.toString(8).padStart(length - 1, '0'), at, length)
  const short = (value: string) => Buffer.from(value).subarray(0, MAX_NAME).toString('latin1')
  text(short(name), 0, MAX_NAME)
  octal(entry.mode, 100, 8)
  octal(entry.owner ?? 0, 108, 8)
  octal(entry.owner ?? 0, 116, 8)
  octal(size, 124, 12)
  octal(time, 136, 12)
  text(' '.repeat(8), 148, 8)
  text(kind, 156, 1)
  text(short(to), 157, MAX_NAME)
  text('ustar\u000000', 257, 8)
  const sum = block.reduce((total, byte) => total + byte, 0)
  text(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 8)
  return block
}
