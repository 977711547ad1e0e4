import { createHmac } from 'node:crypto'

/** Returns true when `header` (X-Svc-Signature) is the signature of the body with this secret. */
export function isSigned(secret: string, header: string, body: Buffer): boolean {
  const [, timestamp, signature] = header.match(/^t=(\d+),v1=([0-9a-f]{64})$/) ?? []
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex') === signature
}
