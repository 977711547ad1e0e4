/** Random bursts to an assistant on two nodes. `npm run test:faults -- --assistants` plays many more of them. */
import t from 'tap'
import { playHistories } from './play_histories.ts'

const HISTORIES = Number(process.env.PARLEY_TEST_HISTORIES ?? 1000)

t.setTimeout(1_800_000)

t.test('one burst has one answer, none is older than the newest message, and none is missing', async (t) => {
  const { findings, figures } = await playHistories(t, HISTORIES)
  t.same(findings, [])
  t.equal(figures.histories, HISTORIES)
  // A call is paid again only where a node died, or somebody wrote, while it was under way.
  t.ok(figures.used > 0 && figures.used <= figures.calls, JSON.stringify(figures))
})
