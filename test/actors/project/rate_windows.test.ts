import t from 'tap'
import { draw, freshCounts } from '../../../actors/project/turn/rate_windows.ts'

const limits = { minute: 2, hour: 3, day: 4, ingest_minute: 5 }

t.test('each budget is used up by its own requests alone, and a window that was never stored begins empty', (t) => {
  const counts = freshCounts()
  // As a node of the release before stored them.
  Reflect.deleteProperty(counts, 'poll')
  for (const [pool, name, most] of [
    ['poll', 'poll', 6000],
    ['ingest', 'ingest', 5],
    ['shared', 'minute', 2],
  ] as const) {
    for (let n = 0; n < most; n++) t.same(draw(counts, limits, pool, 1).exceeded, [], `${pool} ${n}`)
    t.same(draw(counts, limits, pool, 1).exceeded, [name])
    t.same(draw(counts, limits, pool, 60_001).exceeded, [], 'the next window')
  }
  t.end()
})
