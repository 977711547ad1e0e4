/** Ed25519 keys of projects, for receivers that should verify deliveries and not be able to forge them. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { PUBLIC_KEY_SCHEME } from '../records/mod.ts'

/** Both halves of a new key, as base64 of their 32 bytes. */
export function makeSigningKey(): { public_key: string; private_key: string } {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { public_key: toBase64(x!), private_key: toBase64(d!) }
}

/** The key that signs. Both arguments as `makeSigningKey` returns them. */
export function openSigningKey(public_key: string, private_key: string): KeyObject {
  const [x, d] = [toBase64Url(public_key), toBase64Url(private_key)]
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' })
}

/** A JSON Web Key (RFC 8037) for a key as the API shows it: `whpk_…`. */
export function jwkOf({ id, public_key }: { id: string; public_key: string }) {
  const x = toBase64Url(public_key.slice(PUBLIC_KEY_SCHEME.length))
  return { kty: 'OKP', crv: 'Ed25519', x, kid: id, use: 'sig', alg: 'EdDSA' } as const
}

function toBase64(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString('base64')
}

function toBase64Url(base64: string): string {
  return Buffer.from(base64, 'base64').toString('base64url')
}
