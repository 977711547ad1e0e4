/**
 * The entries of an archive in the format of POSIX tar (ustar), which every tar reads: regular files, one after the
 * other. Blocks and padding are exactly as written here, so that any other byte shows.
 */
import { damaged } from './backup_error.ts'
import { ByteReader } from './byte_reader.ts'

const BLOCK = 512
const END = Buffer.alloc(2 * BLOCK)

/** `name`: of ASCII alone. @throws {RangeError} for a name that does not fit */
export function tarHeader(name: string, size: number): Buffer {
  const [prefix, rest] = split(name)
  const header = Buffer.alloc(BLOCK)
  header.write(rest, 0)
  header.write('0000600\0' + '0000000\0' + '0000000\0', 100)
  writeSize(header, size)
  header.write('00000000000\0', 136)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** Bytes that fit into 11 octal digits. */
const MAX_OCTAL = 8 ** 11 - 1
/** Marks a size in binary, an extension that GNU's and BSD's tar read. */
const BINARY = 0x80

function writeSize(header: Buffer, size: number): void {
  if (size <= MAX_OCTAL) {
    header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
    return
  }
  header[124] = BINARY
  header.writeBigUInt64BE(BigInt(size), 128)
}

function readSize(header: Buffer): number {
  if (header[124] === BINARY) return Number(header.readBigUInt64BE(128))
  return Number.parseInt(header.toString('latin1', 124, 135), 8)
}

/** Long names are divided at a slash. */
function split(name: string): [prefix: string, rest: string] {
  if (name.length <= 100) return ['', name]
  for (let at = name.indexOf('/'); at >= 0 && at <= 155; at = name.indexOf('/', at + 1)) {
    if (name.length - at - 1 <= 100) return [name.slice(0, at), name.slice(at + 1)]
  }
  throw new RangeError(`not a name for a tar: ${name}`)
}

/** The zeros after the contents of an entry. */
export function tarPadding(size: number): Buffer {
  return END.subarray(0, (BLOCK - (size % BLOCK)) % BLOCK)
}

/** The last bytes of an archive. */
export const TAR_END = END

export type TarEntry = {
  name: string
  size: number
  /** SHA-256 of all bytes of the archive before this entry, in hex. */
  before: string
  /** The contents, to be read whole or not at all. */
  body: AsyncGenerator<Buffer>
}

/**
 * The entries in their order. Resolves when the archive has ended as it should.
 *
 * @throws {BackupError} when a header or a padding is damaged, or the archive ends early
 */
export async function* tarEntries(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source)
  for (;;) {
    const before = reader.digest()
    const header = await reader.take(BLOCK)
    if (header.equals(END.subarray(0, BLOCK))) break
    const { name, size } = parse(header)
    const body = reader.pieces(size)
    yield { name, size, before, body }
    for await (const _ of body);
    if ((await reader.take(tarPadding(size).length)).some((byte) => byte !== 0)) throw damaged('a padding is not empty')
  }
  if (!(await reader.take(BLOCK)).equals(END.subarray(0, BLOCK))) throw damaged('it does not end as it should')
  if (await reader.hasMore()) throw damaged('there is something after its end')
}

function parse(header: Buffer): { name: string; size: number } {
  const text = (from: number, to: number) => header.toString('latin1', from, to).replace(/\0.*$/s, '')
  const prefix = text(345, 500)
  const name = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
  const size = readSize(header)
  if (!Number.isSafeInteger(size) || size < 0 || !isWritten(header, name, size))
    throw damaged('a header of an entry does not fit')
  return { name, size }
}

/** True when we would write the same header. */
function isWritten(header: Buffer, name: string, size: number): boolean {
  try {
    return tarHeader(name, size).equals(header)
  } catch {
    return false
  }
}
