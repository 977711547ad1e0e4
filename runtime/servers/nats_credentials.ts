import { readFileSync } from 'node:fs'
import { type Authenticator, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node'

/**
 * Credentials of a file: a credentials file (a JWT and its seed, as `nsc` writes it) or the seed of an nkey alone. The
 * file is read again at every connection, so that it can be replaced under a running node.
 *
 * @throws {Error} when the file cannot be read or holds neither, now or at a connection
 */
export function fileCredentials(path: string): Authenticator {
  read(path)
  return (nonce) => read(path)(nonce)
}

function read(path: string): Authenticator {
  const bytes = readFile(path)
  const text = bytes.toString('utf8')
  const seed = /^SU[A-Z2-7]{56}$/.exec(text.trim())
  if (seed) return nkeyAuthenticator(Buffer.from(seed[0]))
  if (/BEGIN NATS USER JWT/.test(text) && /BEGIN USER NKEY SEED/.test(text)) return credsAuthenticator(bytes)
  throw new Error(
    `the creds of NATS_URL, ${path}, hold neither a user's JWT with its seed nor the seed of a user's nkey`,
  )
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error(`the creds of NATS_URL, ${path}, cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
