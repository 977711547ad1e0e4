/** Names of files, which people and programs choose. */
import { plainName } from '../values/plain_name.ts'

/** Maximum characters; the limits of WhatsApp and of file systems are close to it. */
export const MAX_FILE_NAME_LENGTH = 240

/**
 * The last part of a path, without what turns the order of letters round or ends a line; null when nothing remains. Joiners,
 * soft hyphens and tags belong to the names of many languages and to emoji.
 */
export function safeName(filename: string | undefined): string | null {
  const last = (filename ?? '').split(/[/\\]/).at(-1)!
  const clean = [...plainName(last).trim()]
  const name = clean.slice(-MAX_FILE_NAME_LENGTH).join('')
  return /^[.\p{Cf}]*$/u.test(name) ? null : name
}
