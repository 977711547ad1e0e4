/** Starts the importer of a node, with what it needs. */
import type { Registry } from 'prom-client'
import { Converter, Importer, type ImporterOptions, type OutboundGuard } from '../../../actors/mod.ts'
import { knowledgeImportMetrics } from '../metrics/knowledge_import_metrics.ts'
import type { Config } from '../settings/mod.ts'

type Services = Pick<ImporterOptions, 'blobs' | 'directory' | 'log'> & {
  guard: OutboundGuard
  registry: Registry
  /** Seconds of processor time for a conversion. */
  cpu_s: number | undefined
}

export type RunningImporter = Pick<Importer, 'run'> & { stop(): Promise<void> }

/** `stop` ends the connections; imports under way end with the actors that began them. */
export function startImporter(
  { conversions }: Config,
  { guard, registry, cpu_s, ...services }: Services,
): RunningImporter {
  const converter = new Converter({ slots: conversions, confines: cpu_s === undefined ? {} : { cpu_s } })
  const dispatcher = guard.createDispatcher()
  const metrics = knowledgeImportMetrics(registry, converter)
  const importer = new Importer({ ...services, ...metrics, converter, dispatcher })
  return { run: (job, signal) => importer.run(job, signal), stop: () => dispatcher.destroy() }
}
