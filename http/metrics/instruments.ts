/** Makes the instruments of metrics from the table, so that none is exposed which it does not describe. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Metric } from './metric.ts'
import { type CounterName, type GaugeName, type HistogramName, METRICS } from './table.ts'

/** Labels and value of one series. */
type Sample = readonly [labels: Record<string, string | number>, value: number]
type Known<Value> = Value | undefined | Promise<Value | undefined>

function described(name: keyof typeof METRICS) {
  const { help, labels = {} }: Metric = METRICS[name]
  return { name, help, labelNames: Object.keys(labels) }
}

/**
 * A counter that its owner increases. One whose labels all have listed values begins at 0 for each of them: Prometheus
 * sees no rise in a series that begins above.
 */
export function counter(registry: Registry, name: CounterName): Counter {
  const made = new Counter({ ...described(name), registers: [registry] })
  for (const labels of listed(METRICS[name])) made.inc(labels, 0)
  return made
}

/** All labels that a metric may have; none when the values of one are not listed. */
function listed({ labels = {} }: Metric): Record<string, string>[] {
  let found: Record<string, string>[] = [{}]
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === 'string') return []
    found = found.flatMap((others) => values.map((value) => ({ ...others, [label]: value })))
  }
  return found
}

export function histogram(registry: Registry, name: HistogramName): Histogram {
  const { buckets = [] }: Metric = METRICS[name]
  return new Histogram({ ...described(name), buckets: [...buckets], registers: [registry] })
}

/** A gauge without labels that is read when it is asked for. Without a value the series is missing. */
export function readGauge(registry: Registry, name: GaugeName, read: () => Known<number>): void {
  new Gauge({
    ...described(name),
    registers: [registry],
    async collect() {
      const value = await read()
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
}

/** A gauge with labels that is read when it is asked for. */
export function readGauges(registry: Registry, name: GaugeName, read: () => Known<Iterable<Sample>>): void {
  new Gauge({
    ...described(name),
    registers: [registry],
    async collect() {
      const samples = (await read()) ?? []
      this.reset()
      for (const [labels, value] of samples) this.set(labels, value)
    },
  })
}

/** A counter that somebody else keeps. */
export function readCounter(registry: Registry, name: CounterName, read: () => number): void {
  new Counter({
    ...described(name),
    registers: [registry],
    collect() {
      this.reset()
      this.inc(read())
    },
  })
}

export function readCounters(registry: Registry, name: CounterName, read: () => Iterable<Sample>): void {
  new Counter({
    ...described(name),
    registers: [registry],
    collect() {
      this.reset()
      for (const [labels, value] of read()) this.inc(labels, value)
    },
  })
}
