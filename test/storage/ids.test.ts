import t from 'tap'
import { isObjectId, isPrefixedId, objectId, objectIdAt, prefixedId } from '../../storage/mod.ts'

t.test('ids grow within a process while the clock goes back by no more than two seconds', async (t) => {
  const now = Date.now()
  const moments = [now, now, now - 1_900, now + 2_000, now, now + 1_000]
  const ids = moments.map((moment) => objectId(moment))
  t.same(ids, [...ids].sort())
  t.equal(new Set(ids).size, ids.length)
})

t.test('a clock that was an hour ahead leaves nothing behind in later ids', async (t) => {
  const now = Date.now() + 60_000
  const hour = 3_600_000
  const secondOf = (id: string) => Number.parseInt(id.slice(0, 8), 16)
  const before = objectId(now)
  const ahead = [objectId(now + hour), objectId(now + hour)]
  const after = [objectId(now), objectId(now), objectId(now + 1000)]
  t.equal(secondOf(ahead[0]!), Math.floor((now + hour) / 1000))
  t.equal(secondOf(after[0]!), Math.floor(now / 1000))
  t.same(after, [...after].sort())
  t.not(after[0]!.slice(8, 18), before.slice(8, 18), 'told apart from those of the same second by their process part')
  t.not(objectId(now + hour).slice(8, 18), ahead[0]!.slice(8, 18), 'nor does the hour ahead come twice')
  const all = [before, ...ahead, ...after]
  t.equal(new Set(all).size, all.length)
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

t.test('the id of a moment separates older from younger ids', async (t) => {
  const now = Date.now()
  t.ok(objectIdAt(new Date(now - 60_000)) < objectId())
  t.ok(objectIdAt(new Date(now + 60_000)) > objectId())
})
