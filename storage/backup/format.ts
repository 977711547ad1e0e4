/**
 * The parts of an archive (docs/backup.md has the format for people):
 *
 *     backup.json                 what the archive is, and of which tables
 *     settings.json               settings of the installation
 *     tables/<table>/<n>.copy.gz  rows in PostgreSQL's text format, compressed
 *     blobs/<key>                 a file
 *     manifest.json               totals, and the checksum of everything before
 *
 * Each part is followed by a part with its SHA-256, in the form of `sha256sum`.
 */
import { isKey } from '../blobs/blob_store.ts'
import type { CopiedTable, Sequence } from './catalogue.ts'
import type { SealedKey } from './sealed_keys.ts'

export const FORMAT = 1
export const HEAD = 'backup.json'
export const SETTINGS = 'settings.json'
export const MANIFEST = 'manifest.json'
export const CHECKSUM = '.sha256'

/** Maximum bytes of a part that is held in memory: one of JSON. Rows and files are streamed. */
export const MAX_BYTES = 16 * 1024 * 1024

export type Head = {
  format: typeof FORMAT
  /** The release of Parley that made it. */
  parley: string
  /** The server's version, such as `18.4`. */
  postgres: string
  /** The moment of the snapshot, by the clock of the database. */
  snapshot_at: string
  migrations: string[]
  /** A known text that is sealed with the `PARLEY_SECRET` of the database; null when no node was ever started on it. */
  canary: string | null
  tables: CopiedTable[]
  sequences: Sequence[]
  /** The id of the store of files (`BlobStore.identity`); null when it could not say. Archives of earlier releases lack it. */
  blob_store?: string | null | undefined
  /** The keys of `PARLEY_SECRET` that sealed values need. Archives of earlier releases lack it. */
  sealed?: SealedKey[] | undefined
}

/** Settings by variable. Secret ones are there only when the archive is encrypted. */
export type Settings = Record<string, string>

export type Totals = { rows: number; bytes: number }

export type Manifest = {
  finished_at: string
  /** Rows and bytes before compression. */
  tables: Record<string, Totals>
  /** `missing`: files of the tables that were not in the store. */
  blobs: { count: number; bytes: number; missing: number }
  /** Checksum of all bytes before this part. */
  sha256: string
}

/** Longest directory of a table. A tar has no room for all names that PostgreSQL allows. */
const MAX_DIRECTORY_LENGTH = 120

/**
 * The directory of a table in `tables/`: its name, with `%` and the code of each byte that is not plain ASCII. A name that
 * is too long becomes `%` and its index in the list of tables.
 */
export function tableDirectory(name: string, index: number): string {
  const encoded = Array.from(Buffer.from(name), (byte) => {
    const character = String.fromCharCode(byte)
    return /[A-Za-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
  }).join('')
  return encoded.length <= MAX_DIRECTORY_LENGTH ? encoded : `%${index}`
}

export function tablePart(directory: string, number: number): string {
  return `tables/${directory}/${String(number).padStart(6, '0')}.copy.gz`
}

/** The directory of a part with rows; undefined for other parts. */
export function directoryOfPart(name: string): string | undefined {
  return /^tables\/([^/]+)\/\d{6,}\.copy\.gz$/.exec(name)?.[1]
}

/** Long keys are divided, because a tar divides names at slashes. */
export function blobPart(key: string): string {
  return `blobs/${key.match(/.{1,60}/g)!.join('/')}`
}

/** The key of a file; undefined for other parts. */
export function keyOfPart(name: string): string | undefined {
  const key = name.startsWith('blobs/') ? name.slice('blobs/'.length).replaceAll('/', '') : ''
  return isKey(key) && blobPart(key) === name ? key : undefined
}
