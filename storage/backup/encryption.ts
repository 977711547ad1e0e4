/**
 * The encryption of an archive with a passphrase.
 *
 * Three lines of text, then chunks: the name of the format; the parameters as JSON; and a check of the two: their
 * SHA-256, which shows damage, and their HMAC under the key, which shows a wrong passphrase. A chunk is the length of its
 * ciphertext (4 bytes, big endian; the highest bit marks the last chunk), the ciphertext and its tag.
 *
 *  E1 AES-256-GCM under a key that scrypt stretches from the passphrase and a salt of this file. The nonce of a chunk is
 *  its number and whether it is the last: chunks cannot be left out, repeated, put in another order or cut off.
 *  E2 Nothing is passed on before its chunk is authenticated.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { composed } from '../values/composed_text.ts'
import { BackupError, damaged } from './backup_error.ts'
import { ByteReader } from './byte_reader.ts'

export const ENCRYPTED = 'parley-encrypted-backup'

const CHUNK = 256 * 1024
const TAG = 16
const LAST = 0x8000_0000
/** 128 MiB and about half a second. OWASP's recommendation for scrypt. */
const COST = { N: 131_072, r: 8, p: 1 }
/** Maximum of N that is read: a file must not exhaust the memory. */
const MAX_N = 1_048_576
const MAX_LINE_LENGTH = 1000

type Parameters = { kdf: 'scrypt'; N: number; r: number; p: number; salt: string; cipher: 'aes-256-gcm' }
type Keys = { chunks: Buffer; check: Buffer }

export async function* encrypted(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(16).toString('base64url')
  const parameters: Parameters = { kdf: 'scrypt', ...COST, salt, cipher: 'aes-256-gcm' }
  const head = `${ENCRYPTED}\n${JSON.stringify(parameters)}\n`
  const keys = await keysOf(passphrase, parameters)
  yield Buffer.from(`${head}${digestOf(head)} ${proofOf(keys, head)}\n`)
  let number = 0
  const seal = (plain: Buffer, is_last: boolean) => {
    const cipher = createCipheriv('aes-256-gcm', keys.chunks, nonceOf(number++, is_last))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(plain.length + (is_last ? LAST : 0))
    return Buffer.concat([length, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const piece of source) {
    waiting.push(piece)
    bytes += piece.length
    if (bytes <= CHUNK) continue
    const all = Buffer.concat(waiting)
    let at = 0
    for (; all.length - at > CHUNK; at += CHUNK) yield seal(all.subarray(at, at + CHUNK), false)
    waiting = [all.subarray(at)]
    bytes = all.length - at
  }
  yield seal(Buffer.concat(waiting), true)
}

/**
 * @throws {BackupError} when the passphrase is wrong, or the file is damaged or incomplete
 */
export async function* decrypted(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source)
  const lines = [
    await reader.line(MAX_LINE_LENGTH),
    await reader.line(MAX_LINE_LENGTH),
    await reader.line(MAX_LINE_LENGTH),
  ]
  const head = `${lines[0]}\n${lines[1]}\n`
  const [digest = '', proof = ''] = lines[2]!.split(' ')
  if (lines[0] !== ENCRYPTED || digest !== digestOf(head)) throw damaged('its first lines do not fit')
  const keys = await keysOf(passphrase, parametersOf(lines[1]!))
  if (!isSame(proof, proofOf(keys, head))) throw new BackupError('The passphrase is wrong.')
  for (let number = 0, is_last = false; !is_last; number++) {
    const word = (await reader.take(4)).readUInt32BE()
    is_last = word >= LAST
    const length = is_last ? word - LAST : word
    if (length > CHUNK) throw damaged(`the length of chunk ${number + 1} does not fit`)
    const plain = opened(keys, nonceOf(number, is_last), await reader.take(length + TAG))
    if (!plain) throw damaged(`chunk ${number + 1} does not open`)
    yield plain
  }
  if (await reader.hasMore()) throw damaged('there is something after its end')
}

function opened({ chunks }: Keys, nonce: Buffer, sealed: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', chunks, nonce, { authTagLength: TAG })
  decipher.setAuthTag(sealed.subarray(-TAG))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG)), decipher.final()])
  } catch {
    return undefined
  }
}

function nonceOf(number: number, is_last: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce[11] = is_last ? 1 : 0
  return nonce
}

/** Anybody can write these lines, so their values are checked for what scrypt takes. */
function parametersOf(line: string): Parameters {
  const parameters = parsed(line)
  const { kdf, N, r, p, cipher, salt } = parameters
  const is_known = kdf === 'scrypt' && cipher === 'aes-256-gcm' && isCost(N) && r === COST.r && p === COST.p
  if (is_known && typeof salt === 'string') return parameters as Parameters
  throw new BackupError('The file is encrypted in a way that this release does not know.')
}

function parsed(line: string): Partial<Parameters> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** A power of two. */
function isCost(N: unknown): N is number {
  return typeof N === 'number' && Number.isInteger(N) && N > 1 && N <= MAX_N && (N & (N - 1)) === 0
}

/** The keys that were derived last: a restore reads its archive twice. */
let last: { passphrase: string; salt: string; N: number; keys: Promise<Keys> } | undefined

function keysOf(passphrase: string, parameters: Parameters): Promise<Keys> {
  const { salt, N } = parameters
  if (last?.passphrase !== passphrase || last.salt !== salt || last.N !== N) {
    last = { passphrase, salt, N, keys: derive(passphrase, parameters) }
  }
  return last.keys
}

async function derive(passphrase: string, { N, r, p, salt }: Parameters): Promise<Keys> {
  const root = await new Promise<Buffer>((resolve, reject) => {
    const options = { N, r, p, maxmem: 256 * N * r }
    scrypt(composed(passphrase, 'NFKC'), Buffer.from(salt, 'base64url'), 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', root, '', `parley/backup/${purpose}`, 32))
  return { chunks: derived('chunks'), check: derived('check') }
}

const digestOf = (head: string) => createHash('sha256').update(head).digest('hex')

const proofOf = ({ check }: Keys, head: string) => createHmac('sha256', check).update(head).digest('hex')

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
