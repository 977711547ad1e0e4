/**
 * Request counts and durations by route, kept as plain numbers and turned into Prometheus' form only on request:
 * prom-client's own histograms hash their labels on every observation.
 */
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import { readCounter, readCounters, readGauge, readGauges } from '../metrics/instruments.ts'
import { METRICS } from '../metrics/table.ts'
import type { AddressLimits } from './limits/address_limits.ts'
import type { ConcurrencyLimiter } from './limits/concurrency_limiter.ts'
import type { OpenConnections } from './limits/open_connections.ts'

const REQUESTS = 'http_server_request_duration_seconds'
const { help, buckets: BUCKETS } = METRICS[REQUESTS]

/** Gauges of prom-client whose names end as those of counters should. */
const MISNAMED = ['active_handles_total', 'active_requests_total', 'active_resources_total']

type Labels = { method: string; route: string }

/** Requests of one route with one status. */
class Durations {
  /** Counts by the lowest bound that was not exceeded. */
  readonly counts = new Float64Array(BUCKETS.length)
  sum = 0
  count = 0

  observe(seconds: number): void {
    this.count++
    this.sum += seconds
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++
    if (bucket < BUCKETS.length) this.counts[bucket]!++
  }
}

/** Metrics of one route. */
export class RouteMetrics {
  readonly labels: Labels
  readonly by_status = new Map<number, Durations>()

  constructor(labels: Labels) {
    this.labels = labels
  }

  observe(status: number, seconds: number): void {
    const durations = this.by_status.get(status) ?? new Durations()
    durations.observe(seconds)
    this.by_status.set(status, durations)
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
    collectDefaultMetrics({ register: registry })
    for (const name of MISNAMED) registry.removeSingleMetric(`nodejs_${name}`)
    readGauge(registry, 'parley_http_requests_in_flight', () => this.in_flight)
    const get = async () => ({ name: REQUESTS, help, type: 'histogram', values: this.#routes.flatMap(valuesOf) })
    registry.registerMetric({ name: REQUESTS, get } as unknown as Metric)
  }

  route(labels: Labels): RouteMetrics {
    const route = new RouteMetrics(labels)
    this.#routes.push(route)
    return route
  }
}

function valuesOf({ labels: { method, route }, by_status }: RouteMetrics) {
  return [...by_status].flatMap(([status, { counts, sum, count }]) => {
    // Turned into text only once.
    const sharedLabels = { http_request_method: method, http_route: route, http_response_status_code: status }
    let total = 0
    const buckets = BUCKETS.map((le, index) => {
      total += counts[index]!
      return { metricName: `${REQUESTS}_bucket`, labels: { le }, sharedLabels, value: total }
    })
    return [
      ...buckets,
      { metricName: `${REQUESTS}_bucket`, labels: { le: '+Inf' }, sharedLabels, value: count },
      { metricName: `${REQUESTS}_sum`, sharedLabels, value: sum },
      { metricName: `${REQUESTS}_count`, sharedLabels, value: count },
    ]
  })
}

/** Counts accepted and refused work of the concurrency limiters. */
export function limiterMetrics(registry: Registry, limiters: Record<string, ConcurrencyLimiter>): void {
  const of = (value: (limiter: ConcurrencyLimiter) => number) => () =>
    Object.entries(limiters).map(([limiter, one]) => [{ limiter }, value(one)] as const)
  readGauges(
    registry,
    'parley_http_limiter_inside',
    of(({ inside }) => inside),
  )
  readCounters(
    registry,
    'parley_http_shed_total',
    of(({ refused }) => refused),
  )
}

/** Counts refusals by address limits. */
export function addressMetrics(registry: Registry, limits: AddressLimits): void {
  readCounters(registry, 'parley_address_refused_total', () =>
    Object.entries(limits.refused).map(([kind, refused]) => [{ kind }, refused] as const),
  )
  readGauge(registry, 'parley_addresses_tracked', () => limits.tracked)
}

/** Counts the connections of clients. */
export function connectionMetrics(registry: Registry, connections: OpenConnections): void {
  readGauge(registry, 'parley_connections_open', () => connections.open)
  readCounter(registry, 'parley_connections_refused_total', () => connections.refused)
}
