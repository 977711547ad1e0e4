/** Bodies that come in crumbs, counted for each body and for all bodies of one turn of the event loop. */
import t from 'tap'
import { BodyPieces } from '../../http/server/body/body_pieces.ts'

const nextTurn = () => new Promise(setImmediate)
const crumbs = (body: BodyPieces, count: number) => {
  for (let n = 0; n < count; n++) if (!body.take(1)) return n
  return count
}

t.test('one body may have some two thousand crumbs, then its pieces need 32 bytes on average', async (t) => {
  await nextTurn()
  t.equal(crumbs(new BodyPieces(), 5000), 2114)
  await nextTurn()
  const large = new BodyPieces()
  let taken = 0
  while (taken < 5000 && large.take(32)) taken++
  t.equal(taken, 5000)
})

t.test('bodies share the crumbs of a turn, and keep a few each', async (t) => {
  await nextTurn()
  t.equal(crumbs(new BodyPieces(), 3000), 2114)
  const second = new BodyPieces()
  t.equal(crumbs(second, 100), 16, 'a body with more ends')
  t.equal(crumbs(new BodyPieces(), 10), 10, 'a body with few goes on')
  const usual = new BodyPieces()
  t.ok(
    [16_384, 1, 1].every((bytes) => usual.take(bytes)),
    'a body with usual pieces goes on',
  )
  await nextTurn()
  t.equal(crumbs(new BodyPieces(), 3000), 2114, 'the next turn counts anew')
})
