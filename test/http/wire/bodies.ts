import { answered, type Case, cut, type Outcome, took, waits } from './case.ts'

const post = (headers: string, body: string) => `POST /wire HTTP/1.1\r\nHost: a.example\r\n${headers}\r\n${body}`
const get = 'GET /wire HTTP/1.1\r\nHost: a.example\r\n\r\n'
const hello = post('Content-Length: 5\r\n', 'hello')
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body)
const framing = (carried: string) => ({ ...took([carried], 'closed'), why: 'framing' }) as const
const packet = { ...cut, why: 'packet' } as const
const extension = { ...waits, why: 'extension' } as const
const trailer = { ...answered(505, 'closed'), why: 'trailer' } as const

const lengths: [string, string, string | 'refused'][] = [
  ['a length', 'Content-Length: 5\r\n', 'hello'],
  ['zeros before a length', 'Content-Length: 005\r\n', 'hello'],
  ['blanks around a length', 'Content-Length: \t 5 \t\r\n', 'hello'],
  ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n', 'refused'],
  ['the same length twice', 'Content-Length: 5\r\nContent-Length: 5\r\n', 'refused'],
  ['two lengths in one line', 'Content-Length: 5, 5\r\n', 'refused'],
  ['an empty length', 'Content-Length:\r\n', 'refused'],
  ['an empty length and one', 'Content-Length:\r\nContent-Length: 5\r\n', 'refused'],
  ['a length with a space in it', 'Content-Length: 0 5\r\n', 'refused'],
  ['a length with a sign', 'Content-Length: +5\r\n', 'refused'],
  ['a length below zero', 'Content-Length: -5\r\n', 'refused'],
  ['a long length below zero', `Content-Length: -${'123456789'.repeat(3)}\r\n`, 'refused'],
  ['a hexadecimal length', 'Content-Length: 0x5\r\n', 'refused'],
  ['a length and letters', 'Content-Length: 5abc\r\n', 'refused'],
  ['a word for a length', 'Content-Length: five\r\n', 'refused'],
  ['a fraction', 'Content-Length: 5.0\r\n', 'refused'],
  ['a length of 22 digits', `Content-Length: 1${'0'.repeat(21)}\r\n`, 'refused'],
  ['a length of 2^64 and 5', 'Content-Length: 18446744073709551621\r\n', 'refused'],
]

const codings: [string, string][] = [
  ['chunked and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
  ['a length and chunked, in other case', 'content-LengtH: 5\r\nTransFer-Encoding: chunked\r\n'],
  ['identity and a length', 'Content-Length: 5\r\nTransfer-Encoding: identity\r\n'],
  ['an empty coding and a length', 'Content-Length: 5\r\nTransfer-Encoding:\r\n'],
  ['chunked and an empty length', 'Transfer-Encoding: chunked\r\nContent-Length:\r\n'],
  ['an empty coding', 'Transfer-Encoding:\r\n'],
  ['an empty coding and chunked', 'Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n'],
  ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'],
  ['identity', 'Transfer-Encoding: identity\r\n'],
  ['an unknown coding', 'Transfer-Encoding: pigeons\r\n'],
  ['nearly chunked', 'Transfer-Encoding: chunkedchunked\r\n'],
  ['chunked in quotes', 'Transfer-Encoding: "chunked"\r\n'],
  ['chunked with a parameter', 'Transfer-Encoding: chunked;q=1\r\n'],
  ['another coding behind chunked', 'Transfer-Encoding: chunked, deflate\r\n'],
  ['another coding behind chunked, in its own line', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: deflate\r\n'],
  ['a coding that is not undone, before chunked', 'Transfer-Encoding: deflate, chunked\r\n'],
  ['chunked, and another name for a host', 'Host: b.example\r\nTransfer-Encoding: chunked\r\n'],
]

const chunks: [string, string, string][] = [
  ['a chunk', 'c\r\nHello world1\r\n0\r\n\r\n', 'Hello world1'],
  ['a size in capitals', 'C\r\nHello world1\r\n0\r\n\r\n', 'Hello world1'],
  ['two chunks and three zeros', '5\r\nhello\r\n6\r\n world\r\n000\r\n\r\n', 'hello world'],
  ['no chunk', '0\r\n\r\n', ''],
]

/** Chunks with wrong framing, and the parser's reading of them. */
const misframed: [string, string, string][] = [
  ['lines that end in LF alone', '5\nhello\r\n0\n\r\n', 'hello'],
  ['LF behind a blank', '5 ;a\nhello\r\n0\r\n\r\n', 'hello'],
  ['CR and something else behind a size', '5\r\r;ABCD\r\nhello\r\n0\r\n\r\n', 'hello'],
  ['something behind a size', '5 x\r\nhello\r\n0 y\r\n\r\n', 'hello'],
  ['a space behind a size', '5 \r\nhello\r\n0\r\n\r\n', 'hello'],
  ['a size with the digit g', 'g\r\n0123456789abcdef\r\n0\r\n\r\n', '0123456789abcdef'],
  ['no size', '\r\n\r\n', ''],
  ['no line end behind the data', '5\r\nhello**0\r\n\r\n', 'hello'],
  ['no empty line behind the last chunk', '5\r\nhello\r\n0\r\n**', 'hello'],
]

const badSizes: [string, string][] = [
  ['quotes that are not closed', '5;a="b\r\nhello\r\n0\r\n\r\n'],
  ['letters for a size', 'xyz\r\nhello\r\n0\r\n\r\n'],
  ['a size below zero', '-5\r\nhello\r\n0\r\n\r\n'],
  ['a size with 0x', '0x5\r\nhello\r\n0\r\n\r\n'],
  ['a size of 20 digits', `${'f'.repeat(20)}\r\nhello\r\n0\r\n\r\n`],
]

export const bodies: Case[] = [
  ...lengths.map(([name, headers, body]): Case => {
    return { name, send: post(headers, 'hello'), wants: body === 'refused' ? body : took([`POST ${body}`]) }
  }),
  ...codings.map(
    ([name, headers]): Case => ({ name, send: post(headers, '5\r\nhello\r\n0\r\n\r\n'), wants: 'refused' }),
  ),
  ...chunks.map(([name, body, carried]): Case => {
    return { name, send: chunked(body), wants: took([`POST ${carried}`]), but: last([`POST ${carried}`]) }
  }),
  ...misframed.map(([name, body, carried]): Case => {
    return { name, send: chunked(body), wants: 'refused', but: framing(`POST ${carried}`) }
  }),
  ...badSizes.map(([name, body]): Case => ({ name, send: chunked(body), wants: 'refused' })),
  {
    name: 'chunked in capitals',
    send: post('Transfer-Encoding: CHUNKED\r\n', '0\r\n\r\n'),
    wants: took(['POST ']),
    but: last(['POST ']),
  },
  { name: 'extensions', send: chunked('5;a;b=c\r\nhello\r\n0;d\r\n\r\n'), wants: took(['POST hello']), but: extension },
  {
    name: 'an extension in quotes',
    send: chunked('5;a="b"\r\nhello\r\n0\r\n\r\n'),
    wants: took(['POST hello']),
    but: { ...answered(400, 'closed'), why: 'extension' },
  },
  { name: 'no name behind a semicolon', send: chunked('5;\r\nhello\r\n0\r\n\r\n'), wants: 'refused', but: extension },
  {
    name: 'chunked behind a byte beyond ASCII',
    send: post('Transfer-Encoding: \x85chunked\r\n', '0\r\n\r\n'),
    wants: 'refused',
    but: { ...took(['POST '], 'closed'), why: 'trimmed' },
  },
  {
    name: 'a length before a byte beyond ASCII',
    send: post('Content-Length: 5\xa0\r\n', 'hello'),
    wants: 'refused',
    but: { ...took(['POST hello']), why: 'trimmed' },
  },
  { name: 'half of a body', send: post('Content-Length: 10\r\n', 'hello'), wants: waits },
  { name: 'no last chunk', send: chunked('5\r\nhello\r\n'), wants: waits },
  { name: 'a body in its own packet', send: [post('Content-Length: 5\r\n', ''), 'hello'], wants: took(['POST hello']) },
  { name: 'a body byte by byte', send: [post('Content-Length: 5\r\n', ''), ...'hello'], wants: took(['POST hello']) },
  {
    name: 'chunks byte by byte',
    send: [chunked(''), ...'5\r\nhello\r\n0\r\n\r\n'],
    wants: took(['POST hello']),
    but: last(['POST hello']),
  },
  {
    name: 'a chunked GET',
    send: get.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    wants: 'refused',
  },
  { name: 'a trailer', send: chunked('5\r\nhello\r\n0\r\nVary: *\r\n\r\n'), wants: took(['POST hello']), but: trailer },
  {
    name: 'an expectation',
    send: post('Content-Length: 5\r\nExpect: 100-continue\r\n', 'hello'),
    wants: took(['POST hello']),
  },
]

function last(carried: string[]) {
  return { ...took(carried, 'closed'), why: 'chunked' } as const
}

const two = (first: string, second: string): Outcome => took([first, second])

export const pipelines: Case[] = [
  {
    name: 'reads that are answered at once, in one packet',
    send: get + get + get,
    wants: took(['GET ', 'GET ', 'GET ']),
  },
  { name: 'reads in a packet each', send: [get, get, get], wants: took(['GET ', 'GET ', 'GET ']) },
  { name: 'a read and a write in one packet', send: get + hello, wants: two('GET ', 'POST hello') },
  { name: 'two writes in a packet each', send: [hello, hello], wants: two('POST hello', 'POST hello') },
  { name: 'two writes in one packet', send: hello + hello, wants: two('POST hello', 'POST hello'), but: packet },
  { name: 'a write and a read in one packet', send: hello + get, wants: two('POST hello', 'GET '), but: packet },
  {
    name: 'a slow request and a read',
    send: [post('Content-Length: 4\r\n', 'slow'), get],
    wants: two('POST slow', 'GET '),
  },
  { name: 'a file and a read', send: [get.replace('/wire', '/wire/file'), get], wants: two('FILE', 'GET ') },
  {
    name: 'a packet that ends in the second',
    send: [hello + get.slice(0, 8), get.slice(8)],
    wants: two('POST hello', 'GET '),
  },
  {
    name: 'a wrong path, chunked',
    send: [chunked('0\r\n\r\n').replace('wire', 'other'), get],
    wants: answered(404, 'closed'),
  },
  {
    name: 'a read behind close',
    send: get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n') + get,
    wants: took(['GET '], 'closed'),
    but: { ...took(['GET ', 'GET ']), why: 'goodbye' },
  },
  {
    name: 'a read behind chunks',
    send: [chunked('0\r\n\r\n'), get],
    wants: two('POST ', 'GET '),
    but: last(['POST ']),
  },
  {
    name: 'a read behind chunks, in one packet',
    send: chunked('0\r\n\r\n') + get,
    wants: two('POST ', 'GET '),
    but: packet,
  },
  {
    name: 'a read behind two lengths',
    send: post('Content-Length: 5\r\nContent-Length: 99\r\n', 'hello') + get,
    wants: 'refused',
    but: packet,
  },
  {
    name: 'a read behind an empty length',
    send: post('Content-Length:\r\nContent-Length: 40\r\n', get),
    wants: 'refused',
    but: packet,
  },
  {
    name: 'a read behind an unknown coding',
    send: post('Transfer-Encoding: gzip\r\n', '0\r\n\r\n') + get,
    wants: 'refused',
    but: packet,
  },
  {
    name: 'a read in a chunk that ends in LF',
    send: chunked(`1 ;a\nx\r\n0\r\n\r\n${get}`),
    wants: 'refused',
    but: packet,
  },
  { name: 'a read for a trailer', send: chunked(`0\r\n--${get}`), wants: 'refused', but: packet },
  {
    name: 'a read behind misframed chunks, late',
    send: [chunked('1\nx\r\n0\n\r\n'), get],
    wants: 'refused',
    but: framing('POST x'),
  },
  {
    name: 'an empty line between',
    send: [hello, `\r\n${get}`],
    wants: two('POST hello', 'GET '),
    but: { ...took(['POST hello']), why: 'silent' },
  },
]
