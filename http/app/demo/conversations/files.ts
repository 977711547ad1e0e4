/** The files that people send: a picture, and a document of one page. */
import { crc32, deflateSync } from 'node:zlib'
import type { Chance } from './chance.ts'

const [WIDTH, HEIGHT] = [320, 240]

/** A PNG of a coloured disc on a gradient. */
export function picture(chance: Chance): Buffer {
  const [hue, x, y, radius] = [chance.next(), chance.between(90, 230), chance.between(80, 160), chance.between(40, 75)]
  // Soft colours: each part stays between 130 and 230.
  const palette = [0, 1, 2].map((at) => 180 + 50 * Math.sin(2 * Math.PI * (hue + at / 3)))
  const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT)
  for (let row = 0, at = 0; row < HEIGHT; row++) {
    // The filter of a line of a PNG: none.
    rows[at++] = 0
    for (let column = 0; column < WIDTH; column++) {
      const is_inside = Math.hypot(column - x, row - y) < radius
      for (const part of palette) rows[at++] = is_inside ? 255 - part / 2 : part * (0.7 + (0.3 * row) / HEIGHT)
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  // Eight bits for each of red, green and blue.
  head.set([8, 2], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PDF with one line of text. */
export function statement(): Buffer {
  const text = 'BT /F1 24 Tf 60 700 Td (Statement of account) Tj ET'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let pdf = '%PDF-1.4\n'
  const places = objects.map((object, n) => {
    const place = pdf.length
    pdf += `${n + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`
  return Buffer.from(
    `${pdf}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`,
    'latin1',
  )
}
