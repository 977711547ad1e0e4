import { randomBytes } from 'node:crypto'

const PROCESS_PART = randomBytes(6).toString('hex').toUpperCase()
let counter = 0

/** An id in Meta's format; the process part keeps ids unique across restarts. */
export function messageId(person: string): string {
  counter += 1
  const unique = PROCESS_PART + counter.toString(16).toUpperCase().padStart(10, '0')
  return `wamid.HBg${Buffer.from(`${person}\u0015\u0002\u0000\u0011\u0018${unique}\u0000`, 'latin1').toString('base64')}`
}
