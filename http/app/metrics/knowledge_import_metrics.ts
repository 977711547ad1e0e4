/** Metrics of imports of documents. */
import type { Registry } from 'prom-client'
import type { Converter, ImporterOptions } from '../../../actors/mod.ts'
import { counter, histogram, readGauge } from '../../metrics/instruments.ts'

/** Passed to the importer, which reports its work through it. */
export function knowledgeImportMetrics(
  registry: Registry,
  converter: Converter,
): Required<Pick<ImporterOptions, 'observe'>> {
  const imports = counter(registry, 'parley_knowledge_imports_total')
  const durations = histogram(registry, 'parley_knowledge_import_duration_seconds')
  readGauge(registry, 'parley_knowledge_conversions', () => converter.load.running)
  readGauge(registry, 'parley_knowledge_conversions_waiting', () => converter.load.waiting)
  return {
    observe({ origin, outcome, duration_ms }) {
      imports.inc({ origin, outcome })
      durations.observe({ origin }, duration_ms / 1000)
    },
  }
}
