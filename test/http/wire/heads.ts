import { answered, type Case, took, waits } from './case.ts'

const GET = took(['GET '])
const silent = { ...waits, why: 'silent' } as const
const get = (headers: string, line = 'GET /wire HTTP/1.1') => `${line}\r\n${headers}\r\n`
const host = (headers = '') => get(`Host: a.example\r\n${headers}`)
const line = (text: string) => get('Host: a.example\r\n', text)

const taken: [string, string][] = [
  ['no header but Host', host()],
  ['a name in other case, a tab, an empty value', get('hOsT:\ta.example\r\nEmpty:\r\nBlank:  \r\n')],
  ['a Host with a port', get('Host: a.example:8080\r\n')],
  ['a Host that is an IPv6 address', get('Host: [2001:db8::1]:8080\r\n')],
  ['a Host with an underscore', get('Host: a_b.example\r\n')],
  ['an empty Host', get('Host:\r\n')],
  ['bytes beyond ASCII in a value', host('Town: D\xc3\xbcsseldorf\r\nOdd: \xff\r\n')],
  ['a name of unusual signs', host("a!#$%&'*+.^_`|~-9: x\r\n")],
  ['a name of many letters', host(`${'a'.repeat(300)}: ++++\r\n`)],
  ['a query with question marks, quotes and bars', line('GET /wire?a=b?c&d="e"|f HTTP/1.1')],
  ['a protocol to switch to that is unknown', host('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n')],
  ['the same header twice', host('Link: <a>\r\nLink: <b>\r\n')],
  ['keep-alive', host('Connection: keep-alive\r\n')],
]

const refused: [string, string][] = [
  ['no Host', get('Accept: */*\r\n')],
  ['two Hosts', get('Host: a.example\r\nHost: b.example\r\n')],
  ['the same Host twice', get('Host: a.example\r\nHost: a.example\r\n')],
  ['a Host that is a list', get('Host: a.example, b.example\r\n')],
  ['a Host with a space', get('Host: a.example b.example\r\n')],
  ['a Host with a path', get('Host: a.example/wire\r\n')],
  ['a Host with bytes beyond ASCII', get('Host: a\xc3\xa9.example\r\n')],
  ['no version, and a space', line('GET /wire ')],
  ['a version that does not exist', line('GET /wire HTTP/9.9')],
  ['a version in small letters', line('GET /wire http/1.1')],
  ['another protocol', line('GET /wire ICE/1.0')],
  ['nearly the protocol', line('GET /wire IHTTP/1.1')],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a space in the target', line('GET /wi re HTTP/1.1')],
  ['something before the method', line('Extra lineGET /wire HTTP/1.1')],
  ['no method', line(' /wire HTTP/1.1')],
  ['a method that is no token', line('GE(T /wire HTTP/1.1')],
  ['a method with bytes beyond ASCII', line('G\xcbT /wire HTTP/1.1')],
  ['CONNECT', line('CONNECT a.example:443 HTTP/1.1')],
  ['lines that end in LF alone', 'GET /wire HTTP/1.1\nHost: a.example\n\n'],
  ['a request line that ends in CR alone', 'GET /wire HTTP/1.1\rHost: a.example\r\n\r\n'],
  ['headers of more than 4096 bytes', host(`Long: ${'x'.repeat(5000)}\r\n`)],
  ['more than 100 headers', host('a: b\r\n'.repeat(120))],
  ['zeros', '\0\0\0\0\r\n\r\n'],
]

/** Requests that are refused by getting no answer. */
const unanswered: [string, string][] = [
  ['no version', line('GET /wire')],
  ['no header at all', get('')],
  ['a space before the colon', host('Name : x\r\n')],
  ['a bracket in a name', host('X-Invalid[]: x\r\n')],
  ['a control character in a name', host('Fo\x01o: x\r\n')],
  ['no colon', host('Name\r\n')],
  ['a control character in a value', host('Bell: a\x07b\r\n')],
  ['NUL in a value', host('Zero: a\0b\r\n')],
  ['a form feed in a value', host('Feed: \f\r\n')],
  ['CR in a value', host('Foo: 1\rBar: 2\r\n')],
  ['LF in a value', host('Foo: 1\nContent-Length: 30\r\n')],
  ['CR in a name', host('Content\rLength: 3\r\n')],
  ['a value that goes on in the next line', host('Long: a\r\n b\r\n')],
  ['a header that begins with a space', get(' Host: a.example\r\n')],
  ['CR and something else before the end', 'GET /wire HTTP/1.1\r\nHost: a.example\r\n\rZ: x\r\n\r\n'],
]

export const heads: Case[] = [
  ...taken.map(([name, send]): Case => ({ name, send, wants: GET })),
  ...refused.map(([name, send]): Case => ({ name, send, wants: 'refused' })),
  ...unanswered.map(([name, send]): Case => ({ name, send, wants: 'refused', but: silent })),
  {
    name: 'a Host that begins with bytes beyond ASCII',
    send: get('Host: \xc3\xa9a.example\r\n'),
    wants: 'refused',
    but: { ...GET, why: 'trimmed' },
  },
  { name: 'HEAD', send: line('HEAD /wire HTTP/1.1'), wants: took(['GET ']) },
  { name: 'a method that the path has not', send: line('DELETE /wire HTTP/1.1'), wants: answered(405) },
  { name: 'a method that nobody has', send: line('PURGE /wire HTTP/1.1'), wants: answered(405) },
  { name: 'a method in small letters', send: line('get /wire HTTP/1.1'), wants: answered(405) },
  { name: 'a path that is not there', send: line('GET /other HTTP/1.1'), wants: answered(404) },
  { name: 'close', send: host('Connection: close\r\n'), wants: took(['GET '], 'closed') },
  { name: 'Close, and a tab', send: host('Connection: Close\t\r\n'), wants: took(['GET '], 'closed') },
  { name: 'close among others', send: host('Connection: TE, close, foo\r\n'), wants: took(['GET '], 'closed') },
  { name: 'an option that has close in it', send: host('Connection: disclose\r\n'), wants: GET },
  { name: 'an expectation without a body', send: host('Expect: 100-continue\r\n'), wants: GET },
  { name: 'a header without a name', send: host(': x\r\n'), wants: 'refused', but: { ...GET, why: 'nameless' } },
  {
    name: 'a length behind a header without a name',
    send: ['POST /wire HTTP/1.1\r\nHost: a.example\r\n: x\r\nContent-Length: 41\r\n\r\n', host()],
    wants: 'refused',
    but: { ...took(['POST ', 'GET ']), why: 'nameless' },
  },
  { name: 'an empty line before', send: `\r\n${host()}`, wants: GET, but: silent },
  { name: 'HTTP/1.0', send: line('GET /wire HTTP/1.0'), wants: took(['GET '], 'closed'), but: v(505) },
  { name: 'a whole URL', send: line('GET http://a.example/wire HTTP/1.1'), wants: GET, but: v(505) },
  { name: 'OPTIONS *', send: line('OPTIONS * HTTP/1.1'), wants: answered(405), but: v(505) },
  { name: 'a fragment', send: line('GET /wire#top HTTP/1.1'), wants: 'refused', but: target() },
  { name: 'bytes beyond ASCII in a path', send: line('GET /w\xc3\xafre HTTP/1.1'), wants: 'refused', but: target() },
]

function v(status: number) {
  return { ...answered(status, 'closed'), why: 'version' } as const
}

function target() {
  return { ...answered(404), why: 'target' } as const
}

const whole = host()

/** The request in two packets, cut at each byte. */
export const splits: Case[] = Array.from({ length: whole.length - 1 }, (_, index): Case => {
  const at = index + 1
  const one: Case = { name: `cut after ${at} bytes`, send: [whole.slice(0, at), whole.slice(at)], wants: GET }
  return isInVersion(at) ? { ...one, but: { ...answered(505, 'closed'), why: 'split' } } : one
})

/** The same packets without the second part. */
export const beginnings: Case[] = Array.from({ length: whole.length - 1 }, (_, index): Case => {
  const at = index + 1
  const one: Case = { name: `only ${at} bytes`, send: whole.slice(0, at), wants: waits }
  return isInVersion(at) ? { ...one, but: { ...answered(505, 'closed'), why: 'split' } } : one
})

function isInVersion(at: number): boolean {
  const method = 'GET '.length
  return at === method || (at > 'GET /wire'.length && at < 'GET /wire HTTP/1.1\r\n'.length)
}
