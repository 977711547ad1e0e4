/**
 * Reads an archive from its first byte to its last, and checks every byte of it on the way.
 *
 * @see format.ts
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { BackupError, damaged } from './backup_error.ts'
import { ByteReader } from './byte_reader.ts'
import { decrypted, ENCRYPTED } from './encryption.ts'
import {
  CHECKSUM,
  FORMAT,
  HEAD,
  type Head,
  keyOfPart,
  MANIFEST,
  type Manifest,
  MOST_BYTES,
  SETTINGS,
  type Settings,
  tableOfPart,
} from './format.ts'
import { type TarEntry, tarEntries } from './tar.ts'

/** Called with the parts in their order. The bytes of a part are checked when the next one comes. */
export type PartReader = {
  head?(head: Head, settings: Settings): Promise<void>
  rows?(table: string, text: Buffer): Promise<void>
  /** `bytes` is to be read whole, or not at all. */
  blob?(key: string, size: number, bytes: AsyncGenerator<Buffer>): Promise<void>
}

const expand = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)

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
  #head: Head | undefined
  #settings: Settings | undefined
  #found: Pick<Manifest, 'tables'> & { blobs: { count: number; bytes: number } } = {
    tables: {},
    blobs: { count: 0, bytes: 0 },
  }
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
    const table = tableOfPart(name)
    const key = keyOfPart(name)
    if (this.#head === undefined) {
      if (name !== HEAD) throw damaged(`it begins with ${name}`)
      this.#head = parsed<Head>(name, await gathered(body, size))
      if (this.#head.format !== FORMAT) {
        throw new BackupError(`The archive has format ${this.#head.format}, which this release does not know.`)
      }
      for (const { name } of this.#head.tables) this.#found.tables[name] = { rows: 0, bytes: 0 }
    } else if (this.#settings === undefined) {
      if (name !== SETTINGS) throw damaged(`${name} is not in its place`)
      this.#settings = parsed<Settings>(name, await gathered(body, size))
      await this.#reader.head?.(this.#head, this.#settings)
    } else if (name === MANIFEST) {
      this.#manifest = parsed<Manifest>(name, await gathered(body, size))
      this.#check(this.#manifest, before)
    } else if (table !== undefined && this.#found.tables[table]) {
      await this.#rows(name, table, await gathered(body, size))
    } else if (key !== undefined) {
      this.#found.blobs.count++
      this.#found.blobs.bytes += size
      await this.#reader.blob?.(key, size, body)
      for await (const _ of body);
    } else throw damaged(`it has a part ${name}`)
  }

  async #rows(name: string, table: string, bytes: Buffer): Promise<void> {
    const text = await expand(bytes, { maxOutputLength: MOST_BYTES }).catch(() => {
      throw damaged(`${name} cannot be expanded`)
    })
    const totals = this.#found.tables[table]!
    for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) totals.rows++
    totals.bytes += text.length
    await this.#reader.rows?.(table, text)
  }

  #check({ tables, blobs, sha256 }: Manifest, before: string): void {
    if (sha256 !== before) throw damaged('it does not have the checksum of its manifest')
    for (const [name, { rows, bytes }] of Object.entries(this.#found.tables)) {
      if (tables[name]?.rows !== rows || tables[name].bytes !== bytes) {
        throw damaged(`the table ${name} does not have the rows that its manifest counts`)
      }
    }
    if (blobs.count !== this.#found.blobs.count || blobs.bytes !== this.#found.blobs.bytes) {
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
  if (size > MOST_BYTES) throw damaged('a part is too large')
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

function parsed<Value>(name: string, bytes: Buffer): Value {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw damaged(`${name} is not JSON`)
  }
}
