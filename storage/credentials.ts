import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto'

/**
 * Seals secrets that the service must be able to read again: provider credentials, webhook secrets and headers.
 *
 * AES-256-GCM under a key stretched from `PARLEY_SECRET`. The envelope is `v1:<base64url of nonce, tag, ciphertext>`.
 * The id of the record and the column are authenticated with it, so that an envelope copied elsewhere does not open.
 */
export type Vault = {
  /** `vault.seal(channel._id, 'credentials', JSON.stringify(credentials))` */
  seal(record_id: string, column: string, plain: string): string
  /** @throws {VaultError} when the envelope was altered, belongs elsewhere or was made with another `PARLEY_SECRET` */
  open(record_id: string, column: string, envelope: string): string
  /** A key of 32 bytes for one purpose, e.g. to sign links. @throws {VaultError} when there is no secret */
  keyFor(purpose: string): Buffer
}

export class VaultError extends Error {
  override name = 'VaultError'
}

const version = 'v1'
const nonceLength = 12
const tagLength = 16

/**
 * @param secret `PARLEY_SECRET`, any text of at least 16 characters. The key is made at first use (about 50 ms, once in a process).
 * @throws {VaultError} at once when the secret is too short; at first use when there is none
 */
export function openVault(secret: string | undefined): Vault {
  if (secret !== undefined && secret.length < 16) {
    throw new VaultError('PARLEY_SECRET must have at least 16 characters')
  }
  let cached: Buffer | undefined
  const keyFor = (purpose: string) => {
    if (!secret) throw new VaultError('PARLEY_SECRET is not set, so stored credentials cannot be read or written')
    return Buffer.from(hkdfSync('sha256', rootKey(secret), '', purpose, 32))
  }
  const key = () => {
    cached ??= keyFor('parley/vault/v1')
    return cached
  }
  return {
    keyFor: (purpose) => keyFor(`parley/${purpose}`),
    seal(record_id, column, plain) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', key(), nonce).setAAD(place(record_id, column))
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `${version}:${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`
    },
    open(record_id, column, envelope) {
      const [found, body] = envelope.split(':')
      if (found !== version || !body) throw new VaultError(`${column} of ${record_id} is not a ${version} envelope`)
      const bytes = Buffer.from(body, 'base64url')
      const nonce = bytes.subarray(0, nonceLength)
      const tag = bytes.subarray(nonceLength, nonceLength + tagLength)
      const text = bytes.subarray(nonceLength + tagLength)
      const secretKey = key()
      try {
        const decipher = createDecipheriv('aes-256-gcm', secretKey, nonce, { authTagLength: tagLength })
        decipher.setAAD(place(record_id, column)).setAuthTag(tag)
        return decipher.update(text, undefined, 'utf8') + decipher.final('utf8')
      } catch {
        throw new VaultError(`${column} of ${record_id} does not open with this PARLEY_SECRET`)
      }
    },
  }
}

/** The key of the secret that was used last. A service has one secret, and stretching it takes 50 ms. */
let root: { secret: string; key: Buffer } | undefined

function rootKey(secret: string): Buffer {
  // scrypt because operators may choose a passphrase; the salt is fixed because every node must reach the same key.
  if (root?.secret !== secret) root = { secret, key: scryptSync(secret, 'parley/vault', 32, { N: 16_384, r: 8, p: 1 }) }
  return root.key
}

function place(record_id: string, column: string): Buffer {
  return Buffer.from(`${record_id}/${column}`)
}
