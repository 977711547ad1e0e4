/** All metrics that a node exposes. */
import { ASSISTANT, MODEL } from './assistant_metrics.ts'
import { CLUSTER, DEAD_LETTER } from './cluster_metrics.ts'
import { ENGINE, NODE } from './engine_metrics.ts'
import { HTTP } from './http_metrics.ts'
import type { MetricGroup } from './metric.ts'
import { PROCESS } from './process_metrics.ts'
import { KNOWLEDGE, KNOWLEDGE_IMPORTS, MEDIA, PRODUCT } from './product_metrics.ts'

/** In the order of the reference page. */
export const METRIC_GROUPS: readonly MetricGroup[] = [
  NODE,
  HTTP,
  PRODUCT,
  CLUSTER,
  DEAD_LETTER,
  MODEL,
  ASSISTANT,
  MEDIA,
  KNOWLEDGE,
  KNOWLEDGE_IMPORTS,
  ENGINE,
  PROCESS,
]

export const METRICS = {
  ...NODE.metrics,
  ...HTTP.metrics,
  ...PRODUCT.metrics,
  ...CLUSTER.metrics,
  ...DEAD_LETTER.metrics,
  ...MODEL.metrics,
  ...ASSISTANT.metrics,
  ...MEDIA.metrics,
  ...KNOWLEDGE.metrics,
  ...KNOWLEDGE_IMPORTS.metrics,
  ...ENGINE.metrics,
  ...PROCESS.metrics,
} as const

type NamesOf<Type> = {
  [Name in keyof typeof METRICS]: (typeof METRICS)[Name] extends { type: Type } ? Name : never
}[keyof typeof METRICS]

export type CounterName = NamesOf<'counter'>
export type GaugeName = NamesOf<'gauge'>
export type HistogramName = NamesOf<'histogram'>
