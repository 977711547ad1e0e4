/**
 * Request counts and durations by route, kept as plain numbers and turned into Prometheus' form only on request:
 * prom-client's own histograms hash their labels on every observation.
 */
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { AddressLimits } from './limits/address_limits.ts'
import type { ConcurrencyLimiter } from './limits/concurrency_limiter.ts'
import type { OpenConnections } from './limits/open_connections.ts'

/** Upper bounds in seconds. Few of them: each adds a line for every route in use. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

/** Gauges of prom-client whose names end as those of counters should. */
const MISNAMED = ['active_handles_total', 'active_requests_total', 'active_resources_total']

type Labels = { method: string; route: string }

/** Metrics of one route. */
export class RouteMetrics {
  readonly labels: Labels
  readonly by_status = new Map<number, number>()
  /** Counts by the lowest bound that was not exceeded. */
  readonly counts = new Float64Array(BUCKETS.length)
  sum = 0
  count = 0

  constructor(labels: Labels) {
    this.labels = labels
  }

  observe(status: number, seconds: number): void {
    this.by_status.set(status, (this.by_status.get(status) ?? 0) + 1)
    this.count++
    this.sum += seconds
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++
    if (bucket < BUCKETS.length) this.counts[bucket]!++
  }
}

export class HttpMetrics {
  /** Other modules add their metrics here. */
  readonly registry: Registry
  /** Requests accepted and not answered yet. */
  in_flight = 0
  readonly #routes: RouteMetrics[] = []

  constructor(registry: Registry = new Registry()) {
    this.registry = registry
    collectDefaultMetrics({ register: registry, prefix: 'parley_' })
    for (const name of MISNAMED) registry.removeSingleMetric(`parley_nodejs_${name}`)
    const metrics = this
    new Gauge({
      name: 'parley_http_requests_in_flight',
      help: 'Requests taken and not answered yet.',
      registers: [registry],
      collect() {
        this.set(metrics.in_flight)
      },
    })
    this.#register('parley_http_requests_total', 'counter', 'Requests answered, by route and status.', (name) =>
      this.#asked().flatMap(({ labels, by_status }) =>
        [...by_status].map(([status, value]) => ({
          metricName: name,
          labels: { status },
          sharedLabels: labels,
          value,
        })),
      ),
    )
    this.#register(
      'parley_http_request_duration_seconds',
      'histogram',
      'Time from the request line to the last byte handed to the socket, by route.',
      (name) => this.#asked().flatMap((route) => durations(name, route)),
    )
  }

  route(labels: Labels): RouteMetrics {
    const route = new RouteMetrics(labels)
    this.#routes.push(route)
    return route
  }

  #asked(): RouteMetrics[] {
    return this.#routes.filter(({ count }) => count > 0)
  }

  #register(name: string, type: 'counter' | 'histogram', help: string, values: (name: string) => Value[]): void {
    const metric = { name, get: async () => ({ name, help, type, values: values(name) }) }
    this.registry.registerMetric(metric as unknown as Metric)
  }
}

/** `sharedLabels` are turned into text only once. */
type Value = {
  metricName: string
  labels?: { le: string | number } | { status: number }
  sharedLabels: Labels
  value: number
}

function durations(name: string, { labels: sharedLabels, counts, sum, count }: RouteMetrics): Value[] {
  let total = 0
  const buckets = BUCKETS.map((le, index) => {
    total += counts[index]!
    return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: total }
  })
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf' }, sharedLabels, value: count },
    { metricName: `${name}_sum`, sharedLabels, value: sum },
    { metricName: `${name}_count`, sharedLabels, value: count },
  ]
}

/** Counts accepted and refused work of the concurrency limiters. */
export function limiterMetrics(registry: Registry, limiters: Record<string, ConcurrencyLimiter>): void {
  new Gauge({
    name: 'parley_http_limiter_inside',
    help: 'Requests let in and not done yet, by what they need.',
    labelNames: ['limiter'],
    registers: [registry],
    collect() {
      for (const [limiter, { inside }] of Object.entries(limiters)) this.set({ limiter }, inside)
    },
  })
  new Counter({
    name: 'parley_http_shed_total',
    help: 'Requests refused at once because they could not have been done in time, by what they need.',
    labelNames: ['limiter'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [limiter, { refused }] of Object.entries(limiters)) this.inc({ limiter }, refused)
    },
  })
}

/** Counts refusals by address limits. */
export function addressMetrics(registry: Registry, limits: AddressLimits): void {
  new Counter({
    name: 'parley_address_refused_total',
    help: 'What was refused because one client address did too much of it, by kind.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [kind, refused] of Object.entries(limits.refused)) this.inc({ kind }, refused)
    },
  })
  new Gauge({
    name: 'parley_addresses_tracked',
    help: 'Client addresses that something is remembered of.',
    registers: [registry],
    collect() {
      this.set(limits.tracked)
    },
  })
}

/** Counts the connections of clients. */
export function connectionMetrics(registry: Registry, connections: OpenConnections): void {
  new Gauge({
    name: 'parley_connections_open',
    help: 'Connections of clients, websockets included.',
    registers: [registry],
    collect() {
      this.set(connections.open)
    },
  })
  new Counter({
    name: 'parley_connections_refused_total',
    help: 'Connections that were closed at once because the process had too many.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(connections.refused)
    },
  })
}
