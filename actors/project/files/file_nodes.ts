/** Files in the content of a message: the message itself is one, it has them as `attachments`, or it answers a `story`. */
import type { Message } from '../../../storage/mod.ts'

export type Node = Record<string, unknown>

/** The content of a message; of an edit, the new content of the edited one. */
export function contentIn({ type, message }: Pick<Message, 'type' | 'message'>): Node {
  return type === 'edit' && isNode(message.message) ? message.message : message
}

/** The part of the content that is this file. */
export function fileIn(content: Node, media_id: string): Node | undefined {
  return partsIn(content).find((node) => node.media_id === media_id)
}

/** The ids of all files. */
export function mediaIdsIn(content: Node): string[] {
  return partsIn(content).flatMap(({ media_id }) => (typeof media_id === 'string' ? [media_id] : []))
}

function partsIn(content: Node): Node[] {
  const { story, attachments } = content
  return [content, story, ...(Array.isArray(attachments) ? attachments : [])].filter(isNode)
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
