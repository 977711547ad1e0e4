/** E-mail addresses as mail systems accept them, which is more than the standards allow. */
import { composed } from '../../../storage/mod.ts'

/** Characters. Mailing lists write a recipient's address into the sender's. */
const MAX_LOCAL_LENGTH = 255
/** As long as `to` of a send. */
const MAX_LENGTH = 256

const QUOTED = /^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])+"$/u
const ATOM = /^[^\s@<>()[\]\\"\p{Cc}]+$/u
const DOMAIN = /^(?:[^\s@<>()[\]\\,;:"\p{Cc}]{1,253}|\[[^\s@<>()[\]\\,"\p{Cc}]{1,100}\])$/u
/** A local part that needs no quotes. */
const PLAIN = /^[^\s@<>()[\]\\,;:"\p{Cc}]+$/u

/** One address that a mail can be sent to. The library quotes what separates addresses, so one recipient cannot become two. */
export function isAddress(text: string): boolean {
  const { local, domain } = divided(text)
  return (
    local.length > 0 &&
    local.length <= MAX_LOCAL_LENGTH &&
    (ATOM.test(local) || QUOTED.test(local)) &&
    DOMAIN.test(domain) &&
    !domain.includes('..')
  )
}

/**
 * The address that a mail program meant: without blanks, brackets, quotes, comments, `mailto:`, a route before it and a
 * dot behind it. Otherwise as it is, because a mail system accepted it. Undefined when the text is no address.
 */
export function repairedAddress(text: string): string | undefined {
  if (text.length > 2 * MAX_LENGTH) return undefined
  const bare = unwrapped(text.replaceAll('＠', '@').replaceAll(/\p{Cf}|\([^()]*\)/gu, ''))
  const { local, domain } = divided(bare)
  const host = domain.replaceAll(/\s/g, '').replace(/[.,;>'"]{1,20}$/, '')
  const name = repairedLocal(local.trim())
  if (name === '' || host === '' || /[<>\p{Cc}]/u.test(name + host)) return undefined
  const address = `${name}@${host}`
  return address.length > MAX_LENGTH || Buffer.byteLength(address) > MAX_LENGTH ? undefined : address
}

/** One form of an address: people write it in any case and composition, and mail systems in use ignore the difference. */
export function normalAddress(address: string): string {
  return composed(address).toLowerCase()
}

/** The same mailbox, or a form of it with a tag (`support+orders@…`). */
export function isMailboxOf(address: string, mailbox: string): boolean {
  const [one, other] = [divided(normalAddress(address)), divided(normalAddress(mailbox))]
  return one.domain === other.domain && (one.local === other.local || one.local.startsWith(`${other.local}+`))
}

/** The layers around an address, from the outside. */
const LAYERS = [/^<\s*/, /^mailto:\s*/i, /^@[^:\s]+:\s*/]
const MAX_LAYERS = 5

function unwrapped(text: string): string {
  let bare = text.trim()
  let is_link = false
  for (let depth = 0; depth < MAX_LAYERS; depth++) {
    let inner = bare
    is_link ||= /^mailto:/i.test(inner)
    for (const layer of LAYERS) inner = inner.replace(layer, '')
    if (inner.endsWith('>')) inner = inner.slice(0, -1)
    if (/^["']/.test(inner) && inner.endsWith(inner[0]!) && inner.includes('@')) inner = inner.slice(1, -1)
    inner = inner.trim()
    if (inner === bare) break
    bare = inner
  }
  return is_link ? bare.split('?', 1)[0]! : bare
}

function repairedLocal(local: string): string {
  const [, content] = /^"((?:[^"\\]|\\.)*)"$/.exec(local) ?? []
  if (content === undefined) {
    const bare = local.replaceAll(/["']{1,9}$|^["']{1,9}/g, '')
    return /\s/.test(bare) ? `"${bare.replaceAll(/["\\]/g, '').replaceAll(/\s+/g, ' ')}"` : bare
  }
  const plain = content.replaceAll(/\\(.)/g, '$1')
  return PLAIN.test(plain) ? plain : local
}

function divided(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf('@')
  return at < 0 ? { local: '', domain: '' } : { local: address.slice(0, at), domain: address.slice(at + 1) }
}
