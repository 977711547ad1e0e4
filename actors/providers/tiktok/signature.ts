import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Verifies that `TikTok-Signature` (`t=<Unix seconds>,s=<hex>`) signs exactly this text with this app secret. The age
 * of `t` is not checked: the ids of a replayed call are known by then.
 */
export function verifySignature(raw: string, header: string | null, app_secret: string): boolean {
  const [, t, s] = /^t=(\d{1,15}),s=([0-9a-f]{64})$/i.exec(header?.replace(/\s/g, '') ?? '') ?? []
  if (t === undefined || s === undefined || app_secret === '') return false
  return timingSafeEqual(Buffer.from(s, 'hex'), createHmac('sha256', app_secret).update(`${t}.${raw}`).digest())
}
