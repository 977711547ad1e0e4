/** A snapshot held open, as by pg_dump or the feedback of a standby: rows that died since cannot be cleaned away. */
import { sleep } from '../../e2e/client.ts'
import { anyOf, type Fault, type Scene } from '../scene.ts'
import { type Run, within } from '../servers.ts'

/** Changes in flight at once, without a pause. */
const CALLERS = 12
const PARTS = 4
/** The least share of the first rate of changes that must remain at the end, where a commit reads more pages. */
const MIN_RATE = 0.6
const MAX_PAGES = 1.5

/**
 * One part of the time. `pages` counts pages that PostgreSQL reads for each commit, a figure that a busy machine does
 * not change.
 */
type Part = { rate: number; pages: number }

async function hammer({ fleet, random }: Scene, going: () => boolean, count: { done: number }): Promise<void> {
  const caller = async () => {
    for (let n = 0; going(); n++) {
      const { tenant, subscription_id } = anyOf(random, fleet.places)
      const path = `webhooks/${subscription_id}`
      const answer = await tenant.api('PATCH', path, { name: `Hammered ${n}` }).catch(() => undefined)
      if (answer?.status === 200) count.done++
      else await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, () => caller()))
}

async function measure(scene: Scene, run: Run): Promise<Part[]> {
  const parts: Part[] = []
  const count = { done: 0 }
  let going = true
  const hammering = hammer(scene, () => going, count)
  let before = await figures(run)
  for (let part = 0; part < PARTS; part++) {
    count.done = 0
    await sleep(scene.hold_ms / PARTS)
    const after = await figures(run)
    const pages = (after.pages - before.pages) / Math.max(1, after.commits - before.commits)
    parts.push({ rate: (count.done * PARTS * 1000) / scene.hold_ms, pages })
    before = after
  }
  going = false
  await hammering
  return parts
}

async function figures(run: Run): Promise<{ commits: number; pages: number }> {
  const [row] = await run<{ commits: number; pages: number }>(`select
    (select last_value from audit_number)::float8 as commits,
    (select blks_hit + blks_read from pg_stat_database where datname = current_database())::float8 as pages`)
  return row!
}

export const snapshot: Record<string, Fault> = {
  snapshot: {
    async strike(scene) {
      const { fleet, found } = scene
      const parts = await within(fleet.postgres, async (hold) => {
        await hold('begin isolation level repeatable read')
        await hold('select count(*) from lane')
        return within(fleet.postgres, (run) => measure(scene, run))
      })
      const [first, last] = [parts[0]!, parts.at(-1)!]
      const said = parts.map(({ rate, pages }) => `${Math.round(rate)}/s with ${Math.round(pages)} pages`).join(', ')
      const what = `held for ${scene.hold_ms / 1000} s; changes and pages for each commit, in quarters: ${said}`
      if (last.rate < first.rate * MIN_RATE && last.pages > first.pages * MAX_PAGES)
        found('surprise', `a snapshot slowed everything down: ${what}`)
      return what
    },
  },
}
