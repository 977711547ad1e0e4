import { Message } from '../../../storage/mod.ts'
import { contentIn, fileIn, isNode, type Node } from '../files/file_nodes.ts'
import { keepMessage } from '../messages/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** State of a file that came with a message, beside its `media_id`. */
export type FileFacts = {
  media_status: 'pending' | 'stored' | 'failed'
  /** Undefined removes an earlier one. */
  media_error?: { code: string; message: string } | undefined
  mime_type?: string
  file_size?: number
  sha256?: string
  filename?: string
}

/** Writes facts about a file into its message. Returns false when the message does not have it any more. */
export function changeFile(turn: ProjectTurn, row: Message, media_id: string, facts: FileFacts): boolean {
  const content = contentIn(row)
  if (!fileIn(content, media_id)) return false
  const change = (node: Node): Node => {
    if (node.media_id !== media_id) return node
    // A name that the person chose stays.
    const { filename = facts.filename } = node
    // E-mails call it `size`.
    const size = 'size' in node && facts.file_size !== undefined ? { size: facts.file_size } : {}
    const entries = Object.entries({ ...node, ...facts, ...size, filename })
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }
  const changePart = (node: unknown) => (isNode(node) ? change(node) : node)
  const whole = change(content)
  const { story, attachments } = whole
  const changed = {
    ...whole,
    ...(story !== undefined && { story: changePart(story) }),
    ...(Array.isArray(attachments) && { attachments: attachments.map(changePart) }),
  }
  const message = content === row.message ? changed : { ...row.message, message: changed }
  const patch = { message, updated_at: turn.now }
  Object.assign(row, patch)
  turn.update(Message, { id: row.id }, patch)
  keepMessage(turn.records, row)
  return true
}
