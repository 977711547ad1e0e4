/**
 * Detects the type of an OLE compound file. Word, Excel and PowerPoint files from before 2007 share this container and
 * differ in the names of the streams inside (MS-CFB, 2.2 to 2.6).
 */
import type { FileHandle } from 'node:fs/promises'

const STREAMS: Record<string, string> = {
  WordDocument: 'application/msword',
  Workbook: 'application/vnd.ms-excel',
  Book: 'application/vnd.ms-excel',
  'PowerPoint Document': 'application/vnd.ms-powerpoint',
}

const HEADER_BYTES = 512
const ENTRY_BYTES = 128
/** Maximum sectors followed, of the directory and of the lists that lead to it, because a chain may be circular. */
const MAX_SECTORS = 256
const IN_HEADER = 109
/** Greater numbers mean the end of a chain, a free sector, and the like. */
const LAST_SECTOR = 0xfffffffa

/** Undefined for other contents, or when the file is damaged before its type shows. */
export async function compoundFileType(file: FileHandle): Promise<string | undefined> {
  const header = await read(file, 0, HEADER_BYTES)
  if (!header) return undefined
  const shift = header.readUInt16LE(0x1e)
  if (shift !== 9 && shift !== 12) return undefined
  const sectors = new Sectors(file, 1 << shift, header)
  let sector = header.readUInt32LE(0x30)
  for (let count = 0; count < MAX_SECTORS && sector < LAST_SECTOR; count++) {
    const entries = await sectors.read(sector)
    if (!entries) return undefined
    for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
      const type = STREAMS[nameOf(entries.subarray(at, at + ENTRY_BYTES))]
      if (type) return type
    }
    sector = await sectors.next(sector)
  }
  return undefined
}

function nameOf(entry: Buffer): string {
  const bytes = entry.readUInt16LE(0x40)
  return bytes >= 2 && bytes <= 64 ? entry.toString('utf16le', 0, bytes - 2) : ''
}

class Sectors {
  readonly #file: FileHandle
  readonly #bytes: number
  readonly #header: Buffer

  constructor(file: FileHandle, bytes: number, header: Buffer) {
    this.#file = file
    this.#bytes = bytes
    this.#header = header
  }

  read(sector: number): Promise<Buffer | undefined> {
    return read(this.#file, (sector + 1) * this.#bytes, this.#bytes)
  }

  /** The next sector of the chain, from the allocation table. */
  async next(sector: number): Promise<number> {
    const per_sector = this.#bytes / 4
    const table = await this.#tableSector(Math.floor(sector / per_sector))
    const entries = table < LAST_SECTOR ? await this.read(table) : undefined
    return entries?.readUInt32LE((sector % per_sector) * 4) ?? LAST_SECTOR
  }

  /** The position of the n-th sector of the allocation table: the first are listed in the header, the others in a chain. */
  async #tableSector(n: number): Promise<number> {
    if (n < IN_HEADER) return this.#header.readUInt32LE(0x4c + n * 4)
    const per_sector = this.#bytes / 4 - 1
    let list = this.#header.readUInt32LE(0x44)
    const steps = Math.floor((n - IN_HEADER) / per_sector)
    for (let step = 0; step <= steps && step < MAX_SECTORS && list < LAST_SECTOR; step++) {
      const entries = await this.read(list)
      if (!entries) break
      if (step === steps) return entries.readUInt32LE(((n - IN_HEADER) % per_sector) * 4)
      list = entries.readUInt32LE(per_sector * 4)
    }
    return LAST_SECTOR
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return bytesRead === length ? buffer : undefined
}
