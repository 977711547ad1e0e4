/**
 * Seals secrets that the service must be able to read again: provider credentials, webhook secrets and headers.
 *
 * AES-256-GCM under a key stretched from `PARLEY_SECRET`. The envelope is `v1:<base64url of nonce, tag, ciphertext>:<key
 * id>`. The id of the record and the column are authenticated with it, so that an envelope copied elsewhere does not
 * open.
 *
 *  V1 The first secret of the list seals, each of them opens. The envelope names its key, so that one key is tried.
 *  V2 Envelopes of releases that had one secret name no key: the keys are tried in turn. These releases open our
 *  envelopes, because they ignore what follows the ciphertext.
 *  V3 The id of a key is derived from its secret: all processes that have the secret know the key by the same id.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto'
import type { SealedName } from './sealed_places.ts'

export type Vault = {
  /** The ids of the keys, the one that seals first. @throws {VaultError} when there is no secret */
  readonly key_ids: readonly string[]
  /** `vault.seal(channel._id, 'credentials', JSON.stringify(credentials))` */
  seal(record_id: string, column: SealedName, plain: string): string
  /** @throws {VaultError} when the envelope was altered, belongs elsewhere or its key is not in `PARLEY_SECRET` */
  open(record_id: string, column: SealedName, envelope: string): string
  /** The id of the key that an envelope was sealed with: the one it names, or the one that opens it. @throws as `open` */
  keyOf(record_id: string, column: SealedName, envelope: string): string
  /**
   * Keys of 32 bytes for one purpose, e.g. to sign links: sign with the first, and accept each of them.
   * @throws {VaultError} when there is no secret
   */
  keysFor(purpose: string): readonly Buffer[]
}

export class VaultError extends Error {
  override name = 'VaultError'
}

type Key = { id: string; root: Buffer; sealing: Buffer }

const version = 'v1'
const nonceLength = 12
const tagLength = 16

/** Minimum length of a secret, in characters. */
export const MIN_SECRET = 16

/**
 * The secrets that a value of `PARLEY_SECRET` lists, separated by commas or as a JSON array; the first one seals. A text
 * with a part that is too short is one secret with commas in it.
 */
function secretsOf(text: string): string[] {
  const parts = listedIn(text) ?? partsOf(text)
  const is_list = parts.length > 0 && parts.every((part) => part.length >= MIN_SECRET)
  return is_list ? [...new Set(parts)] : [text]
}

/** Blanks belong to a secret, but not to a list. */
function partsOf(text: string): string[] {
  const parts = text.split(',')
  return parts.length === 1 ? parts : parts.map((part) => part.trim())
}

/** Secrets with commas in them can be listed in this form. */
function listedIn(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((part) => typeof part === 'string') ? list : undefined
  } catch {
    return undefined
  }
}

/**
 * @param text `PARLEY_SECRET`: one secret of at least 16 characters, or several separated by commas, the new one first.
 * The keys are made at first use (about 50 ms each, once in a process).
 * @throws {VaultError} at once when the secret is too short; at first use when there is none
 */
export function openVault(text: string | undefined): Vault {
  if (text !== undefined && text.length < MIN_SECRET) {
    throw new VaultError(`PARLEY_SECRET must have at least ${MIN_SECRET} characters`)
  }
  let cached: Key[] | undefined
  const keys = () => {
    if (!text) throw new VaultError('PARLEY_SECRET is not set, so stored credentials cannot be read or written')
    cached ??= secretsOf(text).map(keyOf)
    return cached
  }
  /** The keys to try for an envelope, and the id that it names. */
  const candidates = (what: string, id: string | undefined): readonly Key[] => {
    // A secret of a release without lists may have had commas in it.
    if (id === undefined) return keys().length > 1 ? [...keys(), keyOf(text!)] : keys()
    const named = keys().filter((key) => key.id === id)
    if (named.length > 0) return named
    const known = keys().map((key) => key.id)
    throw new VaultError(
      `${what} is sealed with the key ${id}, which PARLEY_SECRET does not have (it has ${known.join(', ')}): add the secret of that key to the list`,
    )
  }
  const find = (record_id: string, column: SealedName, envelope: string): { key: Key; plain: string } => {
    const what = `${column} of ${record_id}`
    const [found, body, id] = envelope.split(':')
    if (found !== version || !body) throw new VaultError(`${what} is not a ${version} envelope`)
    const bytes = Buffer.from(body, 'base64url')
    for (const key of candidates(what, id)) {
      const plain = opened(key, placeOf(record_id, column), bytes)
      if (plain !== undefined) return { key, plain }
    }
    if (id === undefined) throw new VaultError(`${what} does not open with this PARLEY_SECRET`)
    throw new VaultError(`${what} does not open with its key ${id}: it was altered, or belongs to another record`)
  }
  return {
    get key_ids() {
      return keys().map(({ id }) => id)
    },
    keysFor: (purpose) => keys().map(({ root }) => derived(root, `parley/${purpose}`)),
    seal(record_id, column, plain) {
      const { id, sealing } = keys()[0]!
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(placeOf(record_id, column))
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `${version}:${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}:${id}`
    },
    open: (record_id, column, envelope) => find(record_id, column, envelope).plain,
    keyOf: (record_id, column, envelope) => find(record_id, column, envelope).key.id,
  }
}

/** Undefined when the key does not open it. */
function opened({ sealing }: Key, place: Buffer, bytes: Buffer): string | undefined {
  const nonce = bytes.subarray(0, nonceLength)
  const tag = bytes.subarray(nonceLength, nonceLength + tagLength)
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealing, nonce, { authTagLength: tagLength })
    decipher.setAAD(place).setAuthTag(tag)
    return decipher.update(bytes.subarray(nonceLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

/** The keys of the secrets that this process has used: stretching one takes 50 ms. */
const known = new Map<string, Key>()

function keyOf(secret: string): Key {
  let key = known.get(secret)
  if (!key) {
    // scrypt because operators may choose a passphrase; the salt is fixed because every node must reach the same key.
    const root = scryptSync(secret, 'parley/vault', 32, { N: 16_384, r: 8, p: 1 })
    key = {
      id: derived(root, 'parley/vault/key id').toString('hex').slice(0, 8),
      root,
      sealing: derived(root, 'parley/vault/v1'),
    }
    known.set(secret, key)
  }
  return key
}

function derived(root: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', purpose, 32))
}

function placeOf(record_id: string, column: string): Buffer {
  return Buffer.from(`${record_id}/${column}`)
}
