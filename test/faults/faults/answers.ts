/** Lost answers of PostgreSQL: the server carries the statements out, and the node does not learn of it. */
import { sleep } from '../../e2e/client.ts'
import { between } from '../chance.ts'
import { anyOf, busyNode, commitMark, type Fault } from '../scene.ts'

/** Milliseconds in which an expected commit comes. Otherwise the fault strikes without it. */
const AWAITED_MS = 3000
/** Milliseconds in which each commit is answered by a reset. */
const SHORT_MS = 5000

export const answers: Record<string, Fault> = {
  answers: {
    needs: (random) => ({ confirm_ms: random() < 0.5 ? between(random, 4000, 8000) : 15_000 }),
    async strike(scene) {
      const { random, workload } = scene
      const [{ name, to_postgres, build }, mark] = [await busyNode(scene), commitMark(workload)]
      const how = anyOf(random, ['hold', 'lose', 'reset'] as const)
      // The time is within a node's wait for an answer, or far beyond.
      const ms = random() < 0.5 ? between(random, 300, 2500) : between(random, 1000, 30_000)
      if (how === 'reset') {
        const short_ms = Math.min(ms, SHORT_MS)
        const before = await to_postgres.resetEach(mark)
        await sleep(short_ms)
        const count = (await to_postgres.resetEach(null)) - before
        return `reset ${name} after each of ${count} commits with "${mark}" within ${short_ms} ms`
      }
      const caught = await to_postgres.answerFrom(mark, how, AWAITED_MS)
      await sleep(ms)
      await to_postgres.answer('pass')
      const from = caught ? ` from a commit with "${mark}" on` : ''
      return `${how} those to ${name} for ${ms} ms${from}, confirm_ms ${build.waits.confirm_ms}`
    },
  },
}
