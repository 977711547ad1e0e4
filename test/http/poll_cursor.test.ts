/** A cursor is a position of one subscription: that of another acknowledges nothing. */
import t from 'tap'
import { readCursor, writeCursor } from '../../http/routes/polls/cursor.ts'

const position = 'dlv_6b01183973cb499e66000000'

t.test('a cursor is refused for any other subscription, however alike their ids are', async (t) => {
  const id = 'wh_6b01183973cb499e66000000'
  const cursor = writeCursor(id, position)
  t.equal(readCursor(id, cursor), position)
  for (const other of ['wh_6b01183a73cb499e66000000', 'wh_6b01183973cb499e66000001', 'wh_6b01183973cb499e67000000']) {
    t.equal(readCursor(other, cursor), undefined, other)
  }
})
