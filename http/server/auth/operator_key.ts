import { createHash, timingSafeEqual } from 'node:crypto'

/** Checks whether an `Authorization` header carries the operator's key, in a time that does not depend on the key. */
export function operatorCheck(key: string | undefined): (header: string) => boolean {
  if (!key) return () => false
  const wanted = digest(`Bearer ${key}`)
  return (header) => timingSafeEqual(digest(header.replace(/^bearer /i, 'Bearer ')), wanted)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
