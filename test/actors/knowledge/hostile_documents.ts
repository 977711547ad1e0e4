/** Documents that are made to take the time, the memory or the patience of a converter. */
import { deflateSync } from 'node:zlib'
import { pdfFile, written } from './pdf_file.ts'

/** Zeros of this many bytes, deflated `times` times over. */
function bomb(bytes: number, times = 1): Buffer {
  let data: Buffer = Buffer.alloc(bytes, 0x20)
  for (let time = 0; time < times; time++) data = deflateSync(data, { level: 9 })
  return data
}

function streamObject(dictionary: string, bytes: Buffer): Buffer {
  const head = Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`)
  return Buffer.concat([head, bytes, Buffer.from('\nendstream')])
}

/** The page's text inflates to so many bytes, at a ratio of a million. */
export function flateBomb(bytes: number): Buffer {
  const content = streamObject('/Filter [/FlateDecode /FlateDecode]', bomb(bytes, 2))
  return written([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << >> /Contents 4 0 R >>',
    content,
  ])
}

/** The catalogue is in an object stream that inflates to so many bytes. */
export function objectStreamBomb(bytes: number): Buffer {
  const header = '%PDF-1.5\n'
  const objects = streamObject(
    '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode',
    deflateSync(Buffer.concat([Buffer.from('1 0 << /Type /Catalog >>'), Buffer.alloc(bytes, 0x20)])),
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
