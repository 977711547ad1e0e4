import { isAddress } from './address.ts'

/** An address with the name that mail programs show beside it. */
export type Mailbox = { name: string; address: string }

/** `ana@example.com`, `Ana <ana@example.com>` or `"Ana, Sales" <ana@example.com>`. Undefined when it is neither. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, quoted, bare, bracketed] = /^(?:"((?:[^"\\]|\\.)*)"\s*|([^"<>]*))<([^<>]+)>$/.exec(text.trim()) ?? []
  const address = bracketed ?? text.trim()
  if (!isAddress(address)) return undefined
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare?.trim() ?? ''
  return /\p{Cc}/u.test(name) ? undefined : { name, address }
}

/** An id fits on one line of a header (RFC 5322), and the index of ids takes no longer ones. Bytes. */
const MAX_ID_LENGTH = 998

/** A message id with its angle brackets, which callers of the hook may omit. Null when there is none. */
export function messageIdOf(text: string | null): string | null {
  const bare = text?.trim().replace(/^<|>$/g, '') ?? ''
  if (bare === '' || /[\s<>]/.test(bare)) return null
  const id = `<${bare}>`
  return Buffer.byteLength(id) > MAX_ID_LENGTH ? null : id
}

/** The message ids of a header, in order: mail programs write commas, comments or nothing between them. */
export function messageIdsIn(text: string): string[] {
  const bracketed = text.match(/<[^<>]+>/g)?.map((id) => id.replaceAll(/\s/g, ''))
  const words = bracketed ?? text.split(/[\s,;]+/).filter((word) => /^[^@"]+@[^@"]+$/.test(word))
  return words.map(messageIdOf).filter((id) => id !== null)
}
