/** Small files of every type, each with just enough bytes to be one. */
import { crc32, deflateRawSync } from 'node:zlib'

const ascii = (text: string) => Buffer.from(text, 'latin1')
/** Returns bytes that are no text, after a start that decides the type. */
const filled = (start: Buffer, size = 600) => Buffer.concat([start, Buffer.alloc(Math.max(0, size - start.length), 1)])

const box = (type: string) => filled(Buffer.concat([Buffer.from([0, 0, 0, 24]), ascii(type), Buffer.alloc(12)]))
const ogg = (codec: string) => filled(Buffer.concat([ascii('OggS'), Buffer.alloc(24), ascii(codec)]))

/** `flags` belongs to the extended header; 2 marks an animation. */
const webp = (flags: number, size = 600) => {
  const head = Buffer.concat([ascii('RIFF'), Buffer.alloc(4), ascii('WEBPVP8X'), Buffer.from([10, 0, 0, 0, flags])])
  head.writeUInt32LE(size - 8, 4)
  return filled(head, size)
}

/** Returns a zip archive of texts. */
function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const data = deflateRawSync(text)
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(8, 4)
    about.writeUInt32LE(crc32(text), 10)
    about.writeUInt32LE(data.length, 14)
    about.writeUInt32LE(Buffer.byteLength(text), 18)
    about.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([ascii('PK\x03\x04'), about, ascii(name), data])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([ascii('PK\x01\x02'), Buffer.from([20, 0]), about, tail, ascii(name)]))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, listed, ascii('PK\x05\x06'), end])
}

function officeZip(main: string): Buffer {
  const part = { document: 'word', sheet: 'xl', presentation: 'ppt' }[main.split('.')[1] as 'document']!
  const type = `application/vnd.openxmlformats-officedocument.${main}.main+xml`
  const override = `<Override PartName="/${part}/x.xml" ContentType="${type}"/>`
  return zip({ '[Content_Types].xml': `<?xml version="1.0"?><Types>${override}</Types>`, [`${part}/x.xml`]: '<x/>' })
}

/**
 * Returns an OLE compound file. Its directory has so many entries before the named one (four to a sector of 512 bytes),
 * scattered over the file so that a reader has to follow the chain.
 */
export function compound(stream: string, entries_before = 0): Buffer {
  const sectors = Math.floor(entries_before / 4) + 1
  const file = Buffer.alloc(512 * (2 + 2 * sectors))
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file)
  file.writeUInt16LE(9, 0x1e)
  file.writeUInt32LE(1, 0x2c)
  // The allocation table is sector 0. The directory has every second sector after it.
  const place = (index: number) => 1 + 2 * index
  file.writeUInt32LE(place(0), 0x30)
  file.fill(0xff, 0x4c, 512)
  file.writeUInt32LE(0, 0x4c)
  for (let index = 0; index < sectors; index++) {
    const next = index === sectors - 1 ? 0xfffffffe : place(index + 1)
    file.writeUInt32LE(next, 512 + place(index) * 4)
  }
  for (let index = 0; index <= entries_before; index++) {
    const at = 512 * (place(Math.floor(index / 4)) + 1) + (index % 4) * 128
    const name = index === entries_before ? stream : `Entry ${index}`
    file.write(name, at, 'utf16le')
    file.writeUInt16LE((name.length + 1) * 2, at + 0x40)
  }
  return file
}

export const files = {
  jpeg: filled(Buffer.from([0xff, 0xd8, 0xff, 0xe0])),
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
  gif: filled(ascii('GIF89a')),
  webp: webp(0),
  animated: webp(2),
  mp4: box('ftypisom'),
  m4a: box('ftypM4A '),
  '3gp': box('ftyp3gp4'),
  mov: box('ftypqt  '),
  amr: filled(ascii('#!AMR\n')),
  aac: filled(Buffer.from([0xff, 0xf1, 0x50, 0x80])),
  mp3: filled(Buffer.from([0xff, 0xfb, 0x90, 0x00])),
  wav: filled(Buffer.concat([ascii('RIFF'), Buffer.from([0, 2, 0, 0]), ascii('WAVE')])),
  opus: ogg('OpusHead'),
  vorbis: ogg('\x01vorbis'),
  pdf: filled(ascii('%PDF-1.4\n')),
  docx: officeZip('wordprocessingml.document'),
  xlsx: officeZip('spreadsheetml.sheet'),
  pptx: officeZip('presentationml.presentation'),
  zip: zip({ 'readme.txt': 'hello' }),
  doc: compound('WordDocument', 9),
  xls: compound('Workbook', 2),
  ppt: compound('PowerPoint Document', 30),
  msi: compound('Installer', 3),
  exe: filled(Buffer.from([0x4d, 0x5a, 0x90, 0])),
  text: Buffer.from('Olá, mundo\n'),
  latin1: Buffer.from('a;b\r\nOl\xe1;1\r\n', 'latin1'),
  html: Buffer.from('<!doctype html><script>alert(1)</script>'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
  binary: Buffer.from([1, 2, 3, 0, 255, 254, 7, 8]),
}

/** Returns the same file with bytes after its end that nobody reads. */
export function padded(file: Buffer, size: number): Buffer {
  return Buffer.concat([file, Buffer.alloc(size - file.length, 1)])
}

export const stickerOf = (size: number, moves: boolean) => webp(moves ? 2 : 0, size)
