const FOREIGN = /[^A-Za-z0-9+/]/

/**
 * True for padded base64 of RFC 4648 in one line. Check before decoding: `Buffer.from` skips what is no base64, so a
 * damaged text would become other bytes. No expression repeats a group: V8 notes each repetition, and throws after some
 * ten million characters.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return text.length % 4 === 0 && !FOREIGN.test(text.slice(0, text.length - padding))
}
