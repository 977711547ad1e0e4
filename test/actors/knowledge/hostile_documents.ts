/** Documents that are made to take the time, the memory or the patience of a converter. */
import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { pdfFile, written } from './pdf_file.ts'

const BLOCK = 1024 * 1024
const ADLER = 65_521n

/**
 * A zlib stream of `start` and as many mebibytes of spaces. The block that holds one of them is compressed once and
 * repeated, because to compress half a gigabyte takes seconds.
 */
function bomb(mebibytes: number, start: Buffer): Buffer {
  const whole = { finishFlush: constants.Z_FULL_FLUSH, level: 9 }
  const block = deflateRawSync(Buffer.alloc(BLOCK, 0x20), whole)
  const blocks = Array.from({ length: mebibytes }, () => block)
  const [head, end] = [deflateRawSync(start, whole), deflateRawSync(Buffer.alloc(0))]
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(adlerOf(start, mebibytes * BLOCK))
  return Buffer.concat([Buffer.from([0x78, 0xda]), head, ...blocks, end, sum])
}

/** The checksum of `start` and so many spaces. */
function adlerOf(start: Buffer, spaces: number): number {
  let [a, b] = [1n, 0n]
  for (const byte of start) {
    a = (a + BigInt(byte)) % ADLER
    b = (b + a) % ADLER
  }
  const n = BigInt(spaces)
  b = (b + n * a + 0x20n * ((n * (n + 1n)) / 2n)) % ADLER
  a = (a + 0x20n * n) % ADLER
  return Number(b * 65_536n + a)
}

function streamObject(dictionary: string, bytes: Buffer): Buffer {
  const head = Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`)
  return Buffer.concat([head, bytes, Buffer.from('\nendstream')])
}

/** The page's text inflates to so many mebibytes, at a ratio of half a million. */
export function flateBomb(mebibytes: number): Buffer {
  const twice = deflateSync(bomb(mebibytes, Buffer.alloc(0)), { level: 9 })
  const content = streamObject('/Filter [/FlateDecode /FlateDecode]', twice)
  return written([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << >> /Contents 4 0 R >>',
    content,
  ])
}

/** The catalogue is in an object stream that inflates to so many mebibytes. */
export function objectStreamBomb(mebibytes: number): Buffer {
  const header = '%PDF-1.5\n'
  const objects = streamObject(
    '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode',
    bomb(mebibytes, Buffer.from('1 0 << /Type /Catalog >>')),
  )
  const stream = Buffer.concat([Buffer.from('2 0 obj\n'), objects, Buffer.from('\nendobj\n')])
  const table_at = header.length + stream.length
  const rows = Buffer.from([
    0,
    0,
    0,
    0,
    255,
    2,
    0,
    0,
    2,
    0,
    1,
    0,
    0,
    header.length,
    0,
    1,
    (table_at >> 16) & 255,
    (table_at >> 8) & 255,
    table_at & 255,
    0,
  ])
  const fixed = Buffer.from(rows.map((byte, at) => (at === 1 ? 0 : byte)))
  const table = streamObject('/Type /XRef /Size 4 /W [1 3 1] /Root 1 0 R', fixed)
  return Buffer.concat([
    Buffer.from(header),
    stream,
    Buffer.from('3 0 obj\n'),
    table,
    Buffer.from(`\nendobj\nstartxref\n${table_at}\n%%EOF\n`),
  ])
}

/** A page that says it has two thousand million brothers. */
export function endlessPages(): Buffer {
  const text = pdfFile([[{ text: 'one', y: 700 }]]).toString('latin1')
  return Buffer.from(text.replace('/Count 1', '/Count 2000000000'), 'latin1')
}

/** Forms that draw the next one twice, so that the last one is drawn 2^(forms - 1) times. */
export function formsInForms(count = 30): Buffer {
  const first = 5
  const forms = Array.from({ length: count }, (_, at) => {
    const is_last = at === count - 1
    const resources = is_last ? '/Font << /F 4 0 R >>' : `/XObject << /N ${first + at + 1} 0 R >>`
    const drawn = is_last ? 'BT /F 9 Tf (word ) Tj ET ' : '/N Do /N Do '
    return streamObject(
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${resources} >>`,
      Buffer.from(drawn),
    )
  })
  return written([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /N 5 0 R >> >> /Contents ${first + count} 0 R >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...forms,
    streamObject('', Buffer.from('/N Do')),
  ])
}

export function deepHtml(depth: number): Buffer {
  return Buffer.from(`<!doctype html><html><body>${'<div>'.repeat(depth)}text${'</div>'.repeat(depth)}</body></html>`)
}

export function hugeTable(rows: number): Buffer {
  return Buffer.from(
    `<!doctype html><html><body><table>${'<tr><td>1</td><td>2</td></tr>'.repeat(rows)}</table></body></html>`,
  )
}

export function oneLine(bytes: number): Buffer {
  return Buffer.alloc(bytes, 'word ')
}

/** Attributes and unclosed tags on which naive parsers take quadratic time. */
export function unclosed(count: number): Buffer {
  return Buffer.from(`<!doctype html><html><body>${'<a href="x"><b><i><p>'.repeat(count)}end`)
}
