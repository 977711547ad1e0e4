import fc from 'fast-check'
import t from 'tap'
import { acceptedTypes } from '../../http/visitors/accepted_types.ts'
import { fileNameOf } from '../../http/visitors/file_name.ts'

const named: [given: string, mime_type: string, kept: string | null][] = [
  ['notes.txt', 'text/plain', 'notes.txt'],
  ['people.CSV', 'text/csv', 'people.CSV'],
  ['read.me.md', 'text/plain', 'read.me.md'],
  ['server.log', 'text/plain', 'server.log'],
  ['Olá (1).jpeg', 'image/jpeg', 'Olá (1).jpeg'],
  ['<img src=x onerror=alert(1)>.png', 'image/png', '<img src=x onerror=alert(1)>.png'],
  ['run.hta', 'text/plain', 'run.hta.txt'],
  ['run.js', 'text/plain', 'run.js.txt'],
  ['run.BAT', 'text/plain', 'run.BAT.txt'],
  ['run.svg', 'text/plain', 'run.svg.txt'],
  ['invoice.pdf.lnk', 'text/plain', 'invoice.pdf.lnk.txt'],
  ['run.hta', 'image/png', 'run.hta.png'],
  ['photo.png', 'image/jpeg', 'photo.png.jpg'],
  ['macros.docm', 'application/pdf', 'macros.docm.pdf'],
  ['photo', 'image/jpeg', 'photo.jpg'],
  ['.htaccess', 'text/plain', 'htaccess.txt'],
  ['..bashrc.txt', 'text/plain', 'bashrc.txt'],
  ['run.hta.', 'text/plain', 'run.hta.txt'],
  ['run.hta . .', 'text/plain', 'run.hta.txt'],
  ['run.hta:a.txt', 'text/plain', 'run.hta_a.txt'],
  ['CON', 'text/plain', '_CON.txt'],
  ['nul.txt', 'text/plain', '_nul.txt'],
  ['LPT1 .x.txt', 'text/plain', '_LPT1 .x.txt'],
  ['.com1.txt', 'text/plain', '_com1.txt'],
  ['contract.txt', 'text/plain', 'contract.txt'],
  ['. .', 'text/plain', null],
]
for (const [given, mime_type, kept] of named) {
  t.test(`${given} of ${mime_type}`, async (t) => t.equal(fileNameOf(given, mime_type), kept))
}

t.test('every name ends as its type allows, and is no longer than others', async () => {
  const pieces = fc.constantFrom(
    '.',
    ' ',
    ':',
    'a',
    'con',
    'nul',
    '.hta',
    '.txt',
    '.png',
    '.lnk',
    '😀',
    'x'.repeat(239),
  )
  const types = fc.constantFrom(...acceptedTypes.keys())
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), types, (parts, mime_type) => {
      const name = fileNameOf(parts.join(''), mime_type)
      if (name === null) return true
      const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
      return acceptedTypes.get(mime_type)!.includes(ending) && [...name].length <= 240 && /^[^. ]/.test(name)
    }),
  )
})
