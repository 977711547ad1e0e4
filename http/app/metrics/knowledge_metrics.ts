/** Metrics of the work on the index of knowledge. */
import type { Registry } from 'prom-client'
import { counter, histogram } from '../../metrics/instruments.ts'

/** Returns the observer of the indexer's batches. */
export function knowledgeMetrics(registry: Registry) {
  const indexed = counter(registry, 'parley_knowledge_indexed_total')
  const failures = counter(registry, 'parley_knowledge_failed_total')
  const batches = histogram(registry, 'parley_knowledge_batch_duration_seconds')
  return (batch: { documents: number; failed: number; duration_ms: number }) => {
    indexed.inc(batch.documents)
    failures.inc(batch.failed)
    batches.observe(batch.duration_ms / 1000)
  }
}
