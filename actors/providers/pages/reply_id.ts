/**
 * Encodes the ids of buttons and list rows as payloads of quick replies. A payload comes back alone, so a prefix marks
 * answers to lists; an answer then has the same form as on WhatsApp.
 */
type ReplyKind = 'button_reply' | 'list_reply'

const MARKED = /^(button_reply|list_reply):/

export function payloadOf(kind: ReplyKind, id: string): string {
  // A button's id is sent unchanged, unless it looks like a marked one.
  return kind === 'button_reply' && !MARKED.test(id) ? id : `${kind}:${id}`
}

export function replyOf(payload: string): { kind: ReplyKind; id: string } {
  const mark = MARKED.exec(payload)
  return mark
    ? { kind: mark[1] as ReplyKind, id: payload.slice(mark[0].length) }
    : { kind: 'button_reply', id: payload }
}
