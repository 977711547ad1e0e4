/**
 * Recognises the packets of Socket.IO (revision 5 over Engine.IO 4) that our pages send, by their bytes alone; parsers
 * get no others. Others cost up to 400 ms for each megabyte; these cost a tenth of it.
 *
 *    `3`            pong
 *    `40{…}`        connect, with the authentication data
 *    `41`           disconnect
 *    `42…[…]`       event, with a number when it wants an answer
 *
 * There are no namespaces and no attachments, and pages are not asked for acknowledgements.
 */

const PONG = 0x33
const MESSAGE = 0x34
const CONNECT = 0x30
const DISCONNECT = 0x31
const EVENT = 0x32
const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d

/** A channel's id and a token have 200. */
const CONNECT_BYTES = 1024
const MAX_DIGITS = 10
/** `["say",{"reply":{…}}]` has 3. */
const MAX_DEPTH = 8
/** 100 refs, and what is around them. */
const MAX_COMMAS = 256

/** `is_in`: the connection has sent its authentication. Returns undefined for packets that none of our pages sends. */
export function readKind(bytes: Uint8Array, is_in: boolean): 'pong' | 'connect' | 'leave' | 'event' | undefined {
  if (bytes[0] === PONG) return bytes.length === 1 ? 'pong' : undefined
  if (bytes[0] !== MESSAGE) return undefined
  switch (bytes[1]) {
    case CONNECT:
      if (is_in || bytes.length > CONNECT_BYTES) return undefined
      return bytes.length === 2 || (bytes[2] === OBJECT && isPlain(bytes, 2)) ? 'connect' : undefined
    case DISCONNECT:
      return is_in && bytes.length === 2 ? 'leave' : undefined
    case EVENT: {
      let at = 2
      while (isDigit(bytes[at]) && at < 2 + MAX_DIGITS) at++
      return is_in && bytes[at] === ARRAY && isPlain(bytes, at) ? 'event' : undefined
    }
    default:
      return undefined
  }
}

/** True when the packet is neither deep nor has many parts. It need not be JSON. */
function isPlain(bytes: Uint8Array, from: number): boolean {
  let depth = 0
  let commas = 0
  let in_string = false
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (in_string) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) in_string = false
    } else if (byte === QUOTE) in_string = true
    else if (byte === COMMA && ++commas > MAX_COMMAS) return false
    else if ((byte === ARRAY || byte === OBJECT) && ++depth > MAX_DEPTH) return false
    else if (byte === ARRAY_END || byte === OBJECT_END) depth--
  }
  return true
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}
