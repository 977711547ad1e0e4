/** Mails that make parsers slow, deep or large. */

const HEAD = 'From: Mallory <mallory@x.test>\r\nTo: support@parley.test\r\nSubject: Hello\r\n'

const fill = (piece: string, bytes: number) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes)
const html = (content: string) => `${HEAD}Content-Type: text/html\r\n\r\n${content}`
const header = (lines: string) => `${HEAD}${lines}\r\n\r\nHello\r\n`
const encoded = (content: string) =>
  `${HEAD}Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content)
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\r\n')}`
const report = (boundary: string, content: string) =>
  `${HEAD}Content-Type: multipart/report; boundary="${boundary}"\r\n\r\n${content}`

function nested(depth: number): string {
  let parts = `Content-Type: multipart/mixed; boundary=b0\r\n\r\n`
  for (let at = 0; at < depth; at++) parts += `--b${at}\r\nContent-Type: multipart/mixed; boundary=b${at + 1}\r\n\r\n`
  return HEAD + parts
}

/** Returns mails of about `bytes` bytes, each named after its contents. */
function hostileMails(bytes: number): [string, Buffer][] {
  const mails: [string, string][] = [
    ['open comments', html(fill('<!--', bytes))],
    ['open comments with dashes', html(fill('<!-- -', bytes))],
    ['elements inside one another', html(fill('<div>', bytes))],
    ['inline elements inside one another', html(fill('<b>', bytes))],
    ['ends that fit nothing', html(fill('<b>', bytes / 2) + fill('</i>', bytes / 2))],
    ['links inside one another', html('<a href=x>'.repeat(400) + fill('w ', bytes))],
    ['lists inside one another', html(fill('<ul><li>', bytes))],
    ['quotes inside one another', html('<blockquote>'.repeat(100) + fill('<br>x', bytes))],
    ['a huge table', html(`<table>${fill('<tr><td>x', bytes)}`)],
    ['tables inside one another', html(fill('<table><tr><td>', bytes))],
    ['entities', html(fill('&amp;&#x41;&nbsp', bytes))],
    ['attributes', html(`<p ${Array.from({ length: bytes / 8 }, (_, index) => `a${index}=1`).join(' ')}>x`)],
    ['style', html(`<style>${fill('</styl', bytes)}`)],
    ['open tags', html(fill('<a ', bytes))],
    ['white space', html(fill(' \n\t ', bytes))],
    ['comments in base64', encoded(fill('<!--', bytes * 0.7))],
    ['elements in base64', encoded(fill('<div>', bytes * 0.7))],
    ['parts inside one another', nested(Math.min(10_000, bytes / 60))],
    ['parts', `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${fill('--b\r\n\r\nx\r\n', bytes)}`],
    [
      'attachments',
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${fill('--b\r\nContent-Type: a/b\r\n\r\nx\r\n', bytes)}`,
    ],
    ['headers', header(fill('a:\r\n', bytes).trim())],
    ['references', header(fill('References: a\r\n', bytes).trim())],
    ['one header in many lines', header(`References:${fill(' a\r\n', bytes)} b`)],
    ['addresses', header(`Cc: ${fill('a@x.test,', bytes)}`)],
    ['groups of addresses', header(`Cc: ${fill('g:', bytes)}`)],
    ['quotes in an address', header(`Cc: ${fill('"\\', bytes)}`)],
    ['comments in an address', header(`Cc: ${fill('(', bytes)}`)],
    ['encoded words', header(`Cc: ${fill('=?utf-8?b?YUBi?= ', bytes)}`)],
    ['encoded words without an end', header(`X-A: ${fill('=?utf-8?q?', bytes)}`)],
    ['parameters', header(`Content-Type: text/plain; ${fill('a*0*=x; ', bytes)}`)],
    ['parentheses in a date', header(`Date: ${fill('(', bytes)}`)],
    ['a line without end', `${HEAD}\r\n${fill('x', bytes)}`],
    ['flowed lines', `${HEAD}Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n${fill('> x \r\n', bytes)}`],
    ['line ends', `${HEAD}\r\n${fill('\r', bytes)}`],
    ['a report of many parts', report('-', fill('---\r\n', bytes))],
    [
      'a report with one field',
      report('b', `--b\r\nContent-Type: message/delivery-status\r\n\r\nAction: ${fill(' x\r\n', bytes)}`),
    ],
    ['a report of blank space', report('b', fill(' \r\n', bytes))],
  ]
  return mails.map(([shape, mail]) => [shape, Buffer.from(mail, 'latin1')])
}

/** One shape stands for all that take the same way through the parser. */
const DIFFERENT = [
  'open comments',
  'elements inside one another',
  'comments in base64',
  'parts inside one another',
  'parts',
  'headers',
  'one header in many lines',
  'groups of addresses',
  'quotes in an address',
  'parameters',
  'a report of many parts',
  'a report with one field',
]

export function differentMails(bytes: number): [string, Buffer][] {
  return hostileMails(bytes).filter(([shape]) => DIFFERENT.includes(shape))
}
