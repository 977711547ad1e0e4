import t from 'tap'
import { isObjectId, isPrefixedId, objectId, objectIdAt, prefixedId } from '../../storage/mod.ts'

t.test('ids grow within a process, whatever the clock does', async (t) => {
  const now = Date.now()
  const moments = [now, now, now - 5_000, now + 2_000, now, now + 1_000]
  const ids = moments.map((moment) => objectId(moment))
  t.same(ids, [...ids].sort())
  t.equal(new Set(ids).size, ids.length)
})

t.test('ids have the shape of an ObjectId', async (t) => {
  t.ok(isObjectId(objectId()))
  t.match(prefixedId('msg'), /^msg_[0-9a-f]{24}$/)
  t.ok(isPrefixedId('msg', prefixedId('msg')))
  for (const text of ['', 'x'.repeat(24), 'A'.repeat(24), '0'.repeat(23), `${'0'.repeat(24)}\n`]) {
    t.notOk(isObjectId(text), JSON.stringify(text))
  }
  t.notOk(isPrefixedId('msg', prefixedId('wh')))
  t.notOk(isPrefixedId('msg', objectId()))
})

t.test('the id of a moment cuts between older and younger ids', async (t) => {
  const now = Date.now()
  t.ok(objectIdAt(new Date(now - 60_000)) < objectId())
  t.ok(objectIdAt(new Date(now + 60_000)) > objectId())
})
