const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * True for padded base64 of RFC 4648 in one line. Check before decoding: `Buffer.from` skips what is no base64, so a
 * damaged text would become other bytes.
 */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text)
}
