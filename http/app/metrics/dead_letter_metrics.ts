/**
 * Metrics of the dead letters. They describe the cluster, so only one node reports them: the owner of the actor that
 * replays them.
 */
import type { Registry } from 'prom-client'
import { DEAD_LETTERS } from '../../../actors/mod.ts'
import type { Runtime } from '../../../runtime/mod.ts'
import { type Database, type DeadLetterFigures, readDeadLetterFigures } from '../../../storage/mod.ts'
import { readGauge, readGauges } from '../../metrics/instruments.ts'
import { inTime } from './in_time.ts'

export function deadLetterMetrics(registry: Registry, database: Database, runtime: Pick<Runtime, 'isHere'>): void {
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
  const figures = async () => (runtime.isHere(DEAD_LETTERS) ? inTime(read()) : undefined)
  readGauges(registry, 'parley_dead_letters_kept', async () =>
    (await figures())?.counts.map(({ kind, count }) => [{ kind }, count] as const),
  )
  readGauge(registry, 'parley_dead_letter_oldest_seconds', async () => (await figures())?.oldest_s)
}
