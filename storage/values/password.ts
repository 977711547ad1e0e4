import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { composed } from './composed_text.ts'

/** Cost of scrypt: 16 MiB and about 150 ms an attempt; OWASP's password storage recommendation for N = 2^14 is p = 5. */
const COST = { N: 16_384, r: 8, p: 5 }

/** `scrypt:<N>:<r>:<p>:<salt>:<hash>`, both base64url, so that the cost can be raised later without losing old passwords. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, 32, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join(':')
}

/**
 * True when the password matches the envelope. Without an envelope it works equally long and returns false, so that the
 * time does not reveal which users exist.
 */
export async function verifyPassword(password: string, envelope: string | null | undefined): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = (envelope ?? '').split(':')
  if (scheme !== 'scrypt' || !salt || !hash) {
    await derive(password, randomBytes(16), 32, COST)
    return false
  }
  const expected = Buffer.from(hash, 'base64url')
  const options = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, options)
  return timingSafeEqual(actual, expected)
}

function derive(password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // NFKC: the same characters typed on another keyboard are the same password.
    scrypt(composed(password, 'NFKC'), salt, length, { ...options, maxmem: 64 * 1024 * 1024 }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
