/** Writes PDF files for tests, sound ones and others. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export type PdfLine = { text: string; size?: number; y: number }

export type PdfOptions = {
  title?: string
  /** An image instead of text, as a scanner makes it. */
  is_scan?: boolean
  /** The line that a scanner prints on each page. */
  stamp?: string
  /** The password without which nothing can be read (RC4, 40 bits). */
  password?: string
  /** Bytes of a content stream instead of lines, deflated by the writer. */
  content?: Buffer
}

/** One page for each list of lines. */
export function pdfFile(pages: PdfLine[][], { title, is_scan, stamp, password, content }: PdfOptions = {}): Buffer {
  const objects: (string | Buffer)[] = []
  const add = (body: string | Buffer) => objects.push(body)
  const stream = (dictionary: string, bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
      bytes,
      Buffer.from('\nendstream'),
    ])
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ')
  add('<< /Type /Catalog /Pages 2 0 R >>')
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`)
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>')
  for (const [at, lines] of pages.entries()) {
    const resources = is_scan
      ? `<< /Font << /F 3 0 R >> /XObject << /P ${4 + pages.length * 2} 0 R >> >>`
      : '<< /Font << /F 3 0 R >> >>'
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources ${resources} /Contents ${5 + at * 2} 0 R >>`)
    const drawn = is_scan
      ? `q 612 0 0 792 0 0 cm /P Do Q\n${stamp ? draw({ text: stamp, y: 20 }) : ''}`
      : lines.map(draw).join('\n')
    add(stream('/Filter /FlateDecode', deflateSync(content ?? Buffer.from(drawn, 'latin1'))))
  }
  if (is_scan) {
    const picture = deflateSync(Buffer.alloc(100 * 100, 0x80))
    add(
      stream(
        '/Type /XObject /Subtype /Image /Width 100 /Height 100 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode',
        picture,
      ),
    )
  }
  const info = title === undefined ? '' : ` /Info ${add(`<< /Title (${escaped(title)}) >>`)} 0 R`
  const encrypted = password === undefined ? '' : ` /Encrypt ${add(encryption(password))} 0 R /ID [<${ID}> <${ID}>]`
  return written(objects, info + encrypted)
}

function draw({ text, size = 11, y }: PdfLine): string {
  return `BT /F ${size} Tf 1 0 0 1 72 ${y} Tm (${escaped(text)}) Tj ET`
}

function escaped(text: string): string {
  return text.replaceAll(/[\\()]/g, '\\$&')
}

/** Joins numbered objects into a file with their table. */
export function written(objects: (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  let at = parts[0]!.length
  const push = (part: Buffer) => {
    parts.push(part)
    at += part.length
  }
  for (const [index, body] of objects.entries()) {
    offsets.push(at)
    push(
      Buffer.concat([
        Buffer.from(`${index + 1} 0 obj\n`),
        Buffer.from(body as string, 'latin1'),
        Buffer.from('\nendobj\n'),
      ]),
    )
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R${trailer} >>\nstartxref\n${at}\n%%EOF\n`
  push(Buffer.from(table))
  return Buffer.concat(parts)
}

const ID = '00112233445566778899aabbccddeeff'
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')

/** The dictionary of the standard security handler, revision 2 (PDF 1.4, 3.5.2). Its values match no other password. */
function encryption(password: string): string {
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32)
  const owner = rc4(createHash('md5').update(padded).digest().subarray(0, 5), padded)
  const permissions = Buffer.alloc(4)
  permissions.writeInt32LE(-4)
  const key = createHash('md5').update(padded).update(owner).update(permissions).update(Buffer.from(ID, 'hex')).digest()
  const user = rc4(key.subarray(0, 5), PADDING)
  return `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P -4 >>`
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, at) => at)
  const swap = (a: number, b: number) => ([state[a], state[b]] = [state[b]!, state[a]!])
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255
    swap(i, j)
  }
  let [i, j] = [0, 0]
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 255
      j = (j + state[i]!) & 255
      swap(i, j)
      return byte ^ state[(state[i]! + state[j]!) & 255]!
    }),
  )
}
