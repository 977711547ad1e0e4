/**
 * Metrics of the dead letters. They describe the cluster, so only one node reports them: the owner of the actor that
 * replays them.
 */
import { Gauge, type Registry } from 'prom-client'
import { DEAD_LETTERS } from '../../../actors/mod.ts'
import type { Runtime } from '../../../runtime/mod.ts'
import { type Database, type DeadLetterFigures, readDeadLetterFigures } from '../../../storage/mod.ts'

/** Maximum wait of a scrape for the database; without its answer these metrics are missing. */
const WAIT_MS = 500

export function deadLetterMetrics(registry: Registry, database: Database, { isHere }: Pick<Runtime, 'isHere'>): void {
  const registers = [registry]
  let reading: Promise<DeadLetterFigures | undefined> | undefined
  /** One read at a time, shared by all waiting scrapes. */
  const read = () => {
    reading ??= readDeadLetterFigures(database)
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const figures = async () => (isHere(DEAD_LETTERS) ? Promise.race([read(), pause(WAIT_MS)]) : undefined)
  new Gauge({
    name: 'parley_dead_letters_kept',
    help: 'Parked messages between actors, by the kind of the actor they are for; the newest 10000 are counted.',
    labelNames: ['kind'],
    registers,
    async collect() {
      const known = await figures()
      this.reset()
      for (const { kind, count } of known?.counts ?? []) this.set({ kind }, count)
    },
  })
  new Gauge({
    name: 'parley_dead_letter_oldest_seconds',
    help: 'Age of the oldest of them; 0 without one.',
    registers,
    async collect() {
      this.set((await figures())?.oldest_s ?? 0)
    },
  })
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref())
}
