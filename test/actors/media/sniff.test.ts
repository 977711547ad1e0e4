import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { sniffStart } from '../../../actors/media/mod.ts'
import { kindsOf, sniffFile, typeOf } from '../../../actors/mod.ts'
import { compound, files } from '../../http/media_files.ts'
import { tempDir } from '../../support/mod.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument'

const TYPES: Record<keyof typeof files, string> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  animated: 'image/webp',
  mp4: 'video/mp4',
  m4a: 'audio/mp4',
  '3gp': 'video/3gpp',
  mov: 'video/quicktime',
  amr: 'audio/amr',
  aac: 'audio/aac',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  vorbis: 'audio/ogg',
  pdf: 'application/pdf',
  docx: `${OFFICE}.wordprocessingml.document`,
  xlsx: `${OFFICE}.spreadsheetml.sheet`,
  pptx: `${OFFICE}.presentationml.presentation`,
  zip: 'application/zip',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  msi: 'application/x-cfb',
  exe: 'application/x-msdownload',
  text: 'text/plain',
  latin1: 'text/plain',
  html: 'text/plain',
  svg: 'text/plain',
  binary: 'application/octet-stream',
}

t.test('the bytes of a file decide its type', async (t) => {
  const directory = tempDir(t)
  for (const [name, bytes] of Object.entries(files)) {
    // The name lies about the type.
    const path = join(directory, `${name}.png`)
    writeFileSync(path, bytes)
    const { mime_type, codec, is_animated } = await sniffFile(path)
    t.equal(mime_type, TYPES[name as keyof typeof files], name)
    t.equal(codec, name === 'opus' ? 'opus' : null, `${name}: codec`)
    t.equal(is_animated, name === 'animated', `${name}: animated`)
  }
})

t.test('damaged and hostile files are recognised in time, as something harmless', async (t) => {
  const directory = tempDir(t)
  const circle = compound('Entry', 20)
  // The directory's second sector leads back to itself.
  circle.writeUInt32LE(3, 512 + 3 * 4)
  const beyond = compound('Workbook', 20)
  beyond.writeUInt32LE(0x00ffffff, 512 + 4)
  const cases: [string, Buffer, string][] = [
    ['nothing', Buffer.alloc(0), 'application/octet-stream'],
    ['one byte', Buffer.from([0x89]), 'text/plain'],
    ['a directory in a circle', circle, 'application/x-cfb'],
    ['a directory beyond the end', beyond, 'application/x-cfb'],
    ['half a header', compound('Workbook').subarray(0, 300), 'application/x-cfb'],
    ['half an archive', files.docx.subarray(0, 60), 'application/zip'],
    ['half a picture', files.webp.subarray(0, 15), 'image/webp'],
  ]
  for (const [what, bytes, type] of cases) {
    const path = join(directory, 'file')
    writeFileSync(path, bytes)
    t.equal((await sniffFile(path)).mime_type, type, what)
  }
})

t.test('the first bytes decide the type as far as they can', async (t) => {
  for (const name of ['jpeg', 'mp4', 'opus', 'pdf', 'text', 'binary', 'exe'] as const) {
    t.equal(await sniffStart(files[name].subarray(0, 4096)), TYPES[name], name)
  }
})

t.test('claims choose among the kinds of text, and nothing else', (t) => {
  const text = { mime_type: 'text/plain', codec: null, is_animated: false }
  const jpeg = { mime_type: 'image/jpeg', codec: null, is_animated: false }
  const none = { type: null, part_type: null, filename: null }
  const cases: [typeof text, Partial<typeof none> | Record<string, string>, string][] = [
    [text, {}, 'text/plain'],
    [text, { filename: 'a.csv' }, 'text/csv'],
    [text, { part_type: 'text/csv; charset=utf-8' }, 'text/csv'],
    [text, { part_type: 'application/pdf', filename: 'a.pdf' }, 'text/plain'],
    [text, { type: 'Text/CSV', filename: 'a.txt' }, 'text/csv'],
    [text, { type: 'application/json' }, 'application/json'],
    [text, { type: 'document', filename: 'a.csv' }, 'text/csv'],
    [jpeg, { filename: 'a.csv', part_type: 'text/csv' }, 'image/jpeg'],
    [jpeg, { type: 'image/jpeg' }, 'image/jpeg'],
    [jpeg, { type: 'image' }, 'image/jpeg'],
    [jpeg, { type: 'document' }, 'image/jpeg'],
    [text, { type: 'application/pdf' }, 'is text/plain, not application/pdf'],
    [text, { type: 'image' }, 'is text/plain, which cannot be sent as image'],
    [jpeg, { type: 'image/png' }, 'is image/jpeg, not image/png'],
    [jpeg, { type: 'text/csv' }, 'is image/jpeg, not text/csv'],
    [jpeg, { type: 'sticker' }, 'is image/jpeg, which cannot be sent as sticker'],
  ]
  for (const [sniffed, claims, expected] of cases) {
    const typed = typeOf(sniffed, { ...none, ...claims })
    t.equal('conflict' in typed ? typed.conflict : typed.mime_type, expected, JSON.stringify(claims))
  }
  t.strictSame(kindsOf('image/webp'), ['image', 'sticker', 'document'])
  t.strictSame(kindsOf('application/x-cfb'), ['document'])
  t.end()
})
