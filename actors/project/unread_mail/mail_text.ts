/** Subject and text of an e-mail with the messages that a visitor has not read. */
import type { Contact, UnreadMessage } from '../../../storage/mod.ts'
import { parseUrl } from '../../outbound/mod.ts'
import { isListed, originsIn } from '../../providers/mod.ts'
import type { ProjectChannel } from '../turn/state.ts'
import { mailWords } from './words.ts'

const MAX_MESSAGES = 50

/** `unread`: oldest first. `shop`: the web channel. */
export function mailText({ browser }: Contact, unread: UnreadMessage[], shop: ProjectChannel) {
  const words = mailWords(browser?.language)
  const visible = unread.slice(-MAX_MESSAGES)
  const left_out = unread.length - visible.length
  const page = pageOf(browser?.page_url, shop)
  const parts = [
    words.intro(unread.length),
    ...(left_out > 0 ? [words.earlier(left_out)] : []),
    ...visible.map((one) => contentOf(one, words.file)),
    ...(page === undefined ? [] : [words.back(page)]),
    `--\n${words.reason(shop.name)}`,
  ]
  return { subject: words.subject(unread.length, shop.name), body: parts.join('\n\n') }
}

const FILES = ['image', 'video', 'audio', 'document', 'sticker']

function contentOf({ type, words, filename }: UnreadMessage, file: (name: string | null) => string): string {
  const parts = [...(FILES.includes(type) ? [file(filename)] : []), ...(words?.trim() ? [words.trim()] : [])]
  return parts.join('\n') || '…'
}

/** A visitor can say any page: one that the channel does not list may be a trap for the owner of the address. */
function pageOf(page_url: string | null | undefined, { credentials }: ProjectChannel): string | undefined {
  const page = page_url ? parseUrl(page_url) : undefined
  return page && isListed(originsIn(credentials) ?? [], page) ? page.href : undefined
}
