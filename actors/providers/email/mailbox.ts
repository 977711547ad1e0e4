import { composed } from '../../../storage/mod.ts'

/** An address with the name that mail programs show beside it. */
export type Mailbox = { name: string; address: string }

/**
 * Exactly one address of the common kinds: no quoted local parts, no comments. Characters that separate addresses in a
 * header are refused, so that one recipient cannot become two.
 */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}]{1,253}$/u

export function isAddress(text: string): boolean {
  return ADDRESS.test(text) && !text.includes('..')
}

/** `ana@example.com`, `Ana <ana@example.com>` or `"Ana, Sales" <ana@example.com>`. Undefined when it is neither. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, quoted, bare, bracketed] = /^(?:"((?:[^"\\]|\\.)*)"\s*|([^"<>]*))<([^<>]+)>$/.exec(text.trim()) ?? []
  const address = bracketed ?? text.trim()
  if (!isAddress(address)) return undefined
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare?.trim() ?? ''
  return /\p{Cc}/u.test(name) ? undefined : { name, address }
}

/** One form of an address: people write it in any case and composition, and mail systems in use ignore the difference. */
export function normalAddress(address: string): string {
  return composed(address).toLowerCase()
}

/** An id fits on one line of a header (RFC 5322), and the index of ids takes no longer ones. Bytes. */
const LONGEST_ID = 998

/** A message id with its angle brackets, which callers of the hook may omit. Null when there is none. */
export function messageIdOf(text: string | null): string | null {
  const bare = text?.trim().replace(/^<|>$/g, '') ?? ''
  if (bare === '' || /[\s<>]/.test(bare)) return null
  const id = `<${bare}>`
  return Buffer.byteLength(id) > LONGEST_ID ? null : id
}

/** The message ids of a header, in order: mail programs write commas, comments or nothing between them. */
export function messageIdsIn(text: string): string[] {
  return (text.match(/<[^\s<>]+>/g) ?? text.split(/\s+/)).map(messageIdOf).filter((id) => id !== null)
}
