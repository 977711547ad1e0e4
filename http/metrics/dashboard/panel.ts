/** A picture of some series on the dashboard. */
export type Panel = {
  title: string
  /** `stat`: the last value, large. */
  kind: 'graph' | 'stat'
  /** As Grafana names it. */
  unit: 'short' | 's' | 'bytes' | 'reqps' | 'ops' | 'percentunit'
  queries: readonly Query[]
  /** A `stat` above this is red. */
  bad_above?: number
  /** There only with some settings or after some work. */
  is_rare?: true
}

/** `legend`: with the labels of a series as `{{label}}`. */
export type Query = { expr: string; legend: string }

export type Row = { title: string; panels: readonly Panel[] }
