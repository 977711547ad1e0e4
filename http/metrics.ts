/**
 * Request counts and durations by route and status, kept as plain numbers and turned into Prometheus' form only when
 * somebody asks: prom-client's own histograms hash their labels on every observation.
 */
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { Gate } from './gate.ts'

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Labels = { method: string; route: string }
type Observed = { counts: Float64Array; sum: number; count: number }

/** What one route has answered. */
export class RouteMetrics {
  readonly labels: Labels
  readonly by_status = new Map<number, Observed>()

  constructor(labels: Labels) {
    this.labels = labels
  }

  observe(status: number, seconds: number): void {
    let observed = this.by_status.get(status)
    if (observed === undefined) {
      observed = { counts: new Float64Array(BUCKETS.length), sum: 0, count: 0 }
      this.by_status.set(status, observed)
    }
    observed.count++
    observed.sum += seconds
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++
    if (bucket < BUCKETS.length) observed.counts[bucket]!++
  }
}

export class HttpMetrics {
  /** Others add their metrics here. */
  readonly registry: Registry
  /** Requests taken and not answered yet. */
  in_flight = 0
  readonly #routes: RouteMetrics[] = []

  constructor(registry: Registry = new Registry()) {
    this.registry = registry
    collectDefaultMetrics({ register: registry, prefix: 'parley_' })
    const metrics = this
    new Gauge({
      name: 'parley_http_requests_in_flight',
      help: 'Requests taken and not answered yet.',
      registers: [registry],
      collect() {
        this.set(metrics.in_flight)
      },
    })
    const name = 'parley_http_request_duration_seconds'
    const help = 'Time from the request line to the last byte handed to the socket, by route and status.'
    const histogram = { name, get: async () => ({ name, help, type: 'histogram', values: this.#values(name) }) }
    registry.registerMetric(histogram as unknown as Metric)
  }

  route(labels: Labels): RouteMetrics {
    const route = new RouteMetrics(labels)
    this.#routes.push(route)
    return route
  }

  #values(name: string) {
    return this.#routes.flatMap(({ labels, by_status }) =>
      [...by_status].flatMap(([status, { counts, sum, count }]) => {
        const all = { ...labels, status }
        let total = 0
        const buckets = BUCKETS.map((le, index) => {
          total += counts[index]!
          return { metricName: `${name}_bucket`, labels: { ...all, le }, value: total }
        })
        return [
          ...buckets,
          { metricName: `${name}_bucket`, labels: { ...all, le: '+Inf' }, value: count },
          { metricName: `${name}_sum`, labels: all, value: sum },
          { metricName: `${name}_count`, labels: all, value: count },
        ]
      }),
    )
  }
}

/** What the bounds on work under way let in and refused. */
export function gateMetrics(registry: Registry, gates: Record<string, Gate>): void {
  new Gauge({
    name: 'parley_http_gate_inside',
    help: 'Requests let in and not done yet, by what they need.',
    labelNames: ['gate'],
    registers: [registry],
    collect() {
      for (const [gate, { inside }] of Object.entries(gates)) this.set({ gate }, inside)
    },
  })
  new Counter({
    name: 'parley_http_shed_total',
    help: 'Requests refused at once because they could not have been done in time, by what they need.',
    labelNames: ['gate'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [gate, { refused }] of Object.entries(gates)) this.inc({ gate }, refused)
    },
  })
}
