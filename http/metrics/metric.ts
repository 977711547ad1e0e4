/** The description of a metric, of which the reference page, the alerts and the dashboard are made. */

/** Base units of Prometheus. Counts of things have none. */
export type Unit = 'seconds' | 'bytes' | ''

export type Metric = {
  type: 'counter' | 'gauge' | 'histogram'
  unit: Unit
  /** A sentence, which `/metrics` shows too. */
  help: string
  /** The values of each label; or a word for the closed set that has them, such as `routes`. */
  labels?: Readonly<Record<string, readonly string[] | string>>
  /** Upper bounds of a histogram. */
  buckets?: readonly number[]
  /** The instrument of OpenTelemetry's semantic conventions after which name and labels are. */
  semantic?: string
  /** Nodes that have the metric. `cluster`: one node of the cluster, for all of them. */
  reported_by?: 'cluster'
  /** There only once something has happened, or only with some settings. */
  is_rare?: true
}

/** Metrics of one part. `owner`: the file that registers them. */
export type MetricGroup = {
  title: string
  owner: string
  metrics: Readonly<Record<string, Metric>>
}
