/** Opens the traces of a node, where they are on. The library is loaded only then. */
import type { Log } from '../../../runtime/mod.ts'
import type { Config } from '../settings/mod.ts'
import { Traces } from './traces.ts'

export type OpenTraces = {
  traces: Traces
  /** Sends what waits. */
  close(): Promise<void>
}

/** Undefined where traces are off. `node`: the id of the node. */
export async function openTraces(config: Config, node: string, log: Log): Promise<OpenTraces | undefined> {
  const { traces_url: url, traces_sample: sample, traces_slow_ms: slow_ms } = config
  if (url === null) return undefined
  const { SpanExport } = await import('./span_export.ts')
  const spans = new SpanExport({ url, node, log })
  return { traces: new Traces({ sample, slow_ms, add: (span) => spans.add(span) }), close: () => spans.close() }
}
