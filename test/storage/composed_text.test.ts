/** Composition never takes longer than the text is long, and equal names stay equal. */
import t from 'tap'
import { composed } from '../../storage/mod.ts'

const MARKS = ['\u0301', '\u0323', '\u0300']
const marks = (count: number) => Array.from({ length: count }, (_, at) => MARKS[at % 3]).join('')

t.test('a text in pieces becomes the composed one', async (t) => {
  for (const text of ['Nguyễn Thị Hồng', 'José', '한국어', 'क़', 'Å'])
    t.equal(composed(text.normalize('NFD')), text.normalize('NFC'))
  t.equal(composed('ﬁn①', 'NFKC'), 'fin1')
})

t.test('as many marks on one letter as anybody writes are put in order', async (t) => {
  const text = `a${marks(64)}`
  t.equal(composed(text), text.normalize('NFC'))
  t.not(composed(text), text)
})

t.test('a text with more marks on one letter stays as it is written', async (t) => {
  for (const text of [`a${marks(65)}`, `e\u0301 a${marks(450_000)}`]) t.ok(composed(text) === text)
})
