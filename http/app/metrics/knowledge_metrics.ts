/** Metrics of the knowledge's index. The queue is that of the cluster: each node reports the same. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type Database, readQueueFigures } from '../../../storage/mod.ts'
import { cached } from './cached_value.ts'

/** Milliseconds for which scrapes share one look at the queue. */
const FRESH_MS = 2_000
const BUCKETS = [0.05, 0.2, 1, 5, 20]

/** Returns the observer of the indexer's batches. */
export function knowledgeMetrics(registry: Registry, database: Database) {
  const registers = [registry]
  const figures = cached(() => readQueueFigures(database).catch(() => undefined), FRESH_MS)
  new Gauge({
    name: 'parley_knowledge_pending',
    help: 'Documents that wait to be indexed or taken out of the index.',
    registers,
    async collect() {
      this.set((await figures())?.pending ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'parley_knowledge_pending_oldest_seconds',
    help: 'Time for which the oldest of them has been due; 0 without one.',
    registers,
    async collect() {
      this.set((await figures())?.oldest_s ?? Number.NaN)
    },
  })
  const indexed = new Counter({
    name: 'parley_knowledge_indexed_total',
    help: 'Documents of which this node indexed a change, or which it took out of the index.',
    registers,
  })
  const failures = new Counter({
    name: 'parley_knowledge_failed_total',
    help: 'Documents that this node gave up.',
    registers,
  })
  const batches = new Histogram({
    name: 'parley_knowledge_batch_duration_seconds',
    help: 'Time in which this node indexed a batch of documents.',
    buckets: BUCKETS,
    registers,
  })
  return (batch: { documents: number; failed: number; duration_ms: number }) => {
    indexed.inc(batch.documents)
    failures.inc(batch.failed)
    batches.observe(batch.duration_ms / 1000)
  }
}
