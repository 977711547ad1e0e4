/** Messages that a person did not write: news of the person or of another message. The rule of the server. No DOM. */

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */

const TYPES = ['system', 'request_welcome', 'edit', 'revoke', 'pin', 'unpin']

/**
 * True for a message that nobody has to answer.
 *
 * @param {AnyRecord} message
 */
export function isNotice({ type, message: content }) {
  if (type === 'reaction') return content?.emoji === ''
  if (type !== 'interactive' || content?.interactive_type !== 'call_permission_reply') return TYPES.includes(type)
  const reply = content.call_permission_reply
  return reply?.response !== 'accept' || reply.response_source === 'automatic'
}

/**
 * The provider's id of the message that a notice changes; undefined for any other message.
 *
 * @param {AnyRecord} message
 * @returns {string | undefined}
 */
export function originalOf({ type, message }) {
  return type === 'edit' || type === 'revoke' ? message?.original_message_id : undefined
}
