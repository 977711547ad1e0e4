/** A snapshot held open, as by pg_dump or the feedback of a standby: no row that is dead since can be cleaned away. */
import { sleep } from '../../parley/client.ts'
import { anyOf, type Fault, type Scene } from '../scene.ts'
import { within } from '../standby.ts'

/** `PARLEY_FAULTS_HOLD_S`: as long as an evening's backup, when there is time. */
const HELD_MS = Number(process.env.PARLEY_FAULTS_HOLD_S ?? 40) * 1000
/** Of requests in flight at once, without a pause: what is measured is how many are done. */
const CALLERS = 12
/** The rate at the end, as a share of that at the start. Machines that do other things, too, waver by a quarter. */
const LEAST = 0.6
const PARTS = 4

/** How many changes were acknowledged in each part of the time. */
async function hammer({ fleet, random }: Scene, ms: number): Promise<number[]> {
  const counts = new Array<number>(PARTS).fill(0)
  const from = Date.now()
  const caller = async () => {
    for (let at = 0; at < ms; ) {
      const { tenant, subscription_id } = anyOf(random, fleet.places)
      const path = `webhooks/${subscription_id}`
      const answer = await tenant.api('PATCH', path, { name: `At ${at}` }).catch(() => undefined)
      at = Date.now() - from
      if (answer?.status === 200 && at < ms) counts[Math.floor((at * PARTS) / ms)]!++
      if (answer?.status !== 200) await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, () => caller()))
  return counts
}

export const snapshot: Record<string, Fault> = {
  snapshot: {
    async strike(scene) {
      const counts = await within(scene.fleet.postgres, async (database) => {
        return database.em().transactional(
          async (em) => {
            await em.execute(`set local idle_in_transaction_session_timeout = 0`)
            await em.execute('select count(*) from lane')
            return hammer(scene, HELD_MS)
          },
          { isolationLevel: 'repeatable read' },
        )
      })
      const share = counts.at(-1)! / counts[0]!
      const rates = counts.map((count) => Math.round((count * PARTS * 1000) / HELD_MS)).join(', ')
      if (share < LEAST) scene.found('surprise', `with a snapshot held the rate went from ${rates} changes a second`)
      return `held for ${HELD_MS / 1000} s; changes a second, in quarters: ${rates}`
    },
  },
}
