/**
 * Public addresses of uploaded files, for providers that fetch the files they send:
 * `/media/{media_id}/{expires}/{signature}`. Whoever has the address can read the file until it expires; it does not
 * reveal the project and cannot be forged.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Vault } from '../../storage/mod.ts'

const DAY_S = 86_400
/** A message may wait for its channel, and people open mails late. */
const VALID_DAYS = 7

/** `base_url`: of the API. The link stays the same all day, so that providers and browsers may cache the file. */
export function mediaLink(
  base_url: string,
  vault: Vault,
  { media_id, filename }: { media_id: string; filename?: string | null | undefined },
  now: Date,
): string {
  const expires = (Math.floor(now.getTime() / 1000 / DAY_S) + 1 + VALID_DAYS) * DAY_S
  const name = filename ? `/${encodeURIComponent(filename.toWellFormed())}` : ''
  const path = `/media/${media_id}/${expires}/${signatureOf(keysOf(vault)[0]!, media_id, String(expires))}${name}`
  return base_url.replace(/\/+$/, '') + path
}

/** True when we issued an address and it has not expired. */
export function isMediaLink(
  vault: Vault,
  link: { media_id: string; expires: string; signature: string },
  now: Date,
): boolean {
  const signature = Buffer.from(link.signature)
  const is_ours = keysOf(vault).some((key) => {
    const right = Buffer.from(signatureOf(key, link.media_id, link.expires))
    return signature.length === right.length && timingSafeEqual(signature, right)
  })
  return is_ours && Number(link.expires) * 1000 > now.getTime()
}

const known = new WeakMap<Vault, readonly Buffer[]>()

/** The first key signs; addresses that were signed with another one of `PARLEY_SECRET` stay valid. */
function keysOf(vault: Vault): readonly Buffer[] {
  let keys = known.get(vault)
  if (!keys) {
    keys = vault.keysFor('media links')
    known.set(vault, keys)
  }
  return keys
}

function signatureOf(key: Buffer, media_id: string, expires: string): string {
  return createHmac('sha256', key).update(`${media_id}/${expires}`).digest('base64url')
}
