/**
 * The ids of buttons and list rows, as the payload of quick replies. Payloads come back alone: that a list was answered is
 * told by its mark, so that an answer has the same form as on WhatsApp.
 */
type ReplyKind = 'button_reply' | 'list_reply'

const MARKED = /^(button_reply|list_reply):/

export function payloadOf(kind: ReplyKind, id: string): string {
  // A button's id goes as it is, unless it looks like a marked one.
  return kind === 'button_reply' && !MARKED.test(id) ? id : `${kind}:${id}`
}

export function replyOf(payload: string): { kind: ReplyKind; id: string } {
  const mark = MARKED.exec(payload)
  return mark
    ? { kind: mark[1] as ReplyKind, id: payload.slice(mark[0].length) }
    : { kind: 'button_reply', id: payload }
}
