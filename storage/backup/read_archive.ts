/**
 * Reads an archive from its first byte to its last, and checks every byte of it on the way. Memory does not depend on the
 * size of a part: rows and files are streamed.
 *
 * @see format.ts
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BackupError, damaged } from './backup_error.ts'
import { ByteReader } from './byte_reader.ts'
import { checkedHead, checkedManifest, checkedSettings } from './checked_parts.ts'
import { decrypted, ENCRYPTED } from './encryption.ts'
import {
  CHECKSUM,
  directoryOfPart,
  HEAD,
  type Head,
  keyOfPart,
  MANIFEST,
  MAX_BYTES,
  type Manifest,
  SETTINGS,
  type Settings,
  type Totals,
  tableDirectory,
} from './format.ts'
import { type TarEntry, tarEntries } from './tar.ts'

/** Called with the parts in their order. The bytes of a part are checked when the next one comes. */
export type PartReader = {
  head?(head: Head, settings: Settings): Promise<void>
  /** `text`: some rows of the table, to be read whole, or not at all. Returns after all of them. */
  rows?(table: string, text: AsyncGenerator<Buffer>): Promise<void>
  /** `bytes` is to be read whole, or not at all. */
  blob?(key: string, size: number, bytes: AsyncGenerator<Buffer>): Promise<void>
}

/**
 * @param open opens the file from its beginning
 * @throws {BackupError} when the passphrase is wrong or missing, or the archive is damaged or incomplete
 */
export async function readArchive(
  open: () => AsyncIterable<Buffer>,
  passphrase: string | undefined,
  reader: PartReader = {},
): Promise<{ head: Head; settings: Settings; manifest: Manifest }> {
  const is_encrypted = await beginsEncrypted(open())
  if (is_encrypted && passphrase === undefined) {
    throw new BackupError('The archive is encrypted: its passphrase is missing.')
  }
  if (!is_encrypted && passphrase !== undefined) {
    throw new BackupError('A passphrase was given, but the archive is not encrypted.')
  }
  return new Archive(reader).read(tarEntries(is_encrypted ? decrypted(open(), passphrase!) : open()))
}

/**
 * The beginning of an archive alone. Its checksums are not compared.
 *
 * @throws {BackupError} as `readArchive`
 */
export async function readHead(
  open: () => AsyncIterable<Buffer>,
  passphrase: string | undefined,
): Promise<{ head: Head; settings: Settings }> {
  let found: { head: Head; settings: Settings } | undefined
  const enough = new Error('enough')
  const head = async (head: Head, settings: Settings) => {
    found = { head, settings }
    throw enough
  }
  await readArchive(open, passphrase, { head }).catch((error) => {
    if (error !== enough) throw error
  })
  return found!
}

async function beginsEncrypted(source: AsyncIterable<Buffer>): Promise<boolean> {
  const bytes = new ByteReader(source)
  const begin = (await bytes.begin(ENCRYPTED.length)).toString('latin1')
  await bytes.close()
  if (begin === ENCRYPTED) return true
  if (begin.startsWith(HEAD)) return false
  throw new BackupError('The file is not a backup of Parley, or it is damaged at its beginning.')
}

class Archive {
  readonly #reader: PartReader
  readonly #tables = new Map<string, Totals>()
  /** Names of tables by their directory. */
  readonly #directories = new Map<string, string>()
  readonly #blobs = { count: 0, bytes: 0 }
  #head: Head | undefined
  #settings: Settings | undefined
  #manifest: Manifest | undefined

  constructor(reader: PartReader) {
    this.#reader = reader
  }

  async read(entries: AsyncGenerator<TarEntry>): Promise<{ head: Head; settings: Settings; manifest: Manifest }> {
    for (;;) {
      const { value: entry, done } = await entries.next()
      if (done) break
      if (this.#manifest) throw damaged('there is a part after its last one')
      const hash = createHash('sha256')
      await this.#part(entry, hashed(entry.body, hash))
      const { value: checksum } = await entries.next()
      const expected = `${hash.digest('hex')}  ${basename(entry.name)}\n`
      if (checksum?.name !== `${entry.name}${CHECKSUM}`) throw damaged(`${entry.name} has no checksum`)
      if ((await whole(checksum)).toString('latin1') !== expected) {
        throw damaged(`${entry.name} does not have its checksum`)
      }
    }
    if (!this.#head || !this.#settings || !this.#manifest) throw damaged('it is not complete')
    return { head: this.#head, settings: this.#settings, manifest: this.#manifest }
  }

  async #part({ name, size, before }: TarEntry, body: AsyncGenerator<Buffer>): Promise<void> {
    const key = keyOfPart(name)
    const table = this.#directories.get(directoryOfPart(name) ?? '')
    if (this.#head === undefined) {
      if (name !== HEAD) throw damaged(`it begins with ${name}`)
      this.#head = checkedHead(await gathered(body, size))
      for (const [index, { name }] of this.#head.tables.entries()) {
        this.#tables.set(name, { rows: 0, bytes: 0 })
        this.#directories.set(tableDirectory(name, index), name)
      }
    } else if (this.#settings === undefined) {
      if (name !== SETTINGS) throw damaged(`${name} is not in its place`)
      this.#settings = checkedSettings(await gathered(body, size))
      await this.#reader.head?.(this.#head, this.#settings)
    } else if (name === MANIFEST) {
      this.#manifest = checkedManifest(await gathered(body, size))
      this.#check(this.#manifest, before)
    } else if (table !== undefined) {
      const text = this.#expanded(name, this.#tables.get(table)!, body)
      await this.#reader.rows?.(table, text)
      for await (const _ of text);
      for await (const _ of body);
    } else if (key !== undefined) {
      this.#blobs.count++
      this.#blobs.bytes += size
      await this.#reader.blob?.(key, size, body)
      for await (const _ of body);
    } else throw damaged(`it has a part ${name}`)
  }

  /** Expands rows, and counts them on the way. */
  async *#expanded(name: string, totals: Totals, body: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    const expanding = pipeline(Readable.from(body, { objectMode: false }), createGunzip(), () => {})
    try {
      for await (const text of expanding as AsyncIterable<Buffer>) {
        for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) totals.rows++
        totals.bytes += text.length
        yield text
      }
    } catch (error) {
      if (String((error as { code?: unknown }).code).startsWith('Z_')) throw damaged(`${name} cannot be expanded`)
      throw error
    }
  }

  #check({ tables, blobs, sha256 }: Manifest, before: string): void {
    if (sha256 !== before) throw damaged('it does not have the checksum of its manifest')
    for (const [name, { rows, bytes }] of this.#tables) {
      const counted = Object.hasOwn(tables, name) ? tables[name] : undefined
      if (counted?.rows !== rows || counted.bytes !== bytes) {
        throw damaged(`the table ${name} does not have the rows that its manifest counts`)
      }
    }
    if (blobs.count !== this.#blobs.count || blobs.bytes !== this.#blobs.bytes) {
      throw damaged('it does not have the files that its manifest counts')
    }
  }
}

async function* hashed(body: AsyncGenerator<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    hash.update(piece)
    yield piece
  }
}

function whole({ body, size }: TarEntry): Promise<Buffer> {
  return gathered(body, size)
}

async function gathered(body: AsyncGenerator<Buffer>, size: number): Promise<Buffer> {
  if (size > MAX_BYTES) throw damaged('a part of it is too large')
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}
