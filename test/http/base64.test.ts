/** Base64 is known by its characters, however long it is. */
import * as fc from 'fast-check'
import t from 'tap'
import { isBase64 } from '../../http/server/schema/base64.ts'

t.test('texts that decode and encode to themselves are base64, and damaged ones are not', async (t) => {
  const isSame = (text: string) => Buffer.from(text, 'base64').toString('base64') === text
  const texts = fc.string({ unit: fc.constantFrom('A', 'Q', '4', '+', '/', '=', '-', '\n'), maxLength: 12 })
  fc.assert(fc.property(texts, (text) => isBase64(text) || !isSame(text)))
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => isBase64(Buffer.from(bytes).toString('base64'))))
  for (const text of ['=', 'A===', '====', 'AA=A', 'AAA', 'AA-_', 'AAAA\n', 'data:text/plain;base64,AAAA'])
    t.notOk(isBase64(text), text)
})

t.test('a text of many megabytes is no error', async (t) => {
  const text = 'QUJD'.repeat(6 * 1024 * 1024)
  t.ok(isBase64(text))
  t.notOk(isBase64(`${text}QU=D`))
})
