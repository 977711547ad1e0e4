/** Metrics of imports of documents. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Converter, ImporterOptions } from '../../../actors/mod.ts'

/** Upper bounds in seconds. */
const BUCKETS = [0.1, 0.5, 2, 10, 60]

/** Passed to the importer, which reports its work through it. */
export function knowledgeImportMetrics(
  registry: Registry,
  converter: Converter,
): Required<Pick<ImporterOptions, 'observe'>> {
  const registers = [registry]
  const imports = new Counter({
    name: 'parley_knowledge_imports_total',
    help: 'Attempts to import a document, by origin and what came of them: converted, unchanged, delayed (it is tried again) or failed.',
    labelNames: ['origin', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'parley_knowledge_import_duration_seconds',
    help: 'Time of an attempt to import a document, with the wait for a place.',
    labelNames: ['origin'],
    buckets: BUCKETS,
    registers,
  })
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value())
      },
    })
  gauge('parley_knowledge_conversions', 'Documents being converted on this node.', () => converter.load.running)
  gauge(
    'parley_knowledge_conversions_waiting',
    'Documents that wait for a place to be converted on this node.',
    () => converter.load.waiting,
  )
  return {
    observe({ origin, outcome, duration_ms }) {
      imports.inc({ origin, outcome })
      durations.observe({ origin }, duration_ms / 1000)
    },
  }
}
