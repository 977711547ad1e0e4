/** Metrics of the HTTP server. */
import type { MetricGroup } from './metric.ts'

const ROUTE = {
  http_request_method: 'methods of the routes',
  http_route: 'routes',
  http_response_status_code: 'statuses',
} as const

export const HTTP = {
  title: 'Requests',
  owner: 'http/server/metrics.ts',
  metrics: {
    http_server_request_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Time from the request line to the last byte handed to the socket, by route and status; its count is the number of requests answered.',
      labels: ROUTE,
      // Few of them: each adds a line for every route and status in use.
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
      semantic: 'http.server.request.duration',
      is_rare: true,
    },
    parley_http_requests_in_flight: { type: 'gauge', unit: '', help: 'Requests taken and not answered yet.' },
    parley_http_limiter_inside: {
      type: 'gauge',
      unit: '',
      help: 'Requests let in and not done yet, by what they need.',
      labels: { limiter: 'limiters' },
    },
    parley_http_shed_total: {
      type: 'counter',
      unit: '',
      help: 'Requests refused at once because they could not have been done in time, by what they need.',
      labels: { limiter: 'limiters' },
    },
    parley_address_refused_total: {
      type: 'counter',
      unit: '',
      help: 'What was refused because one client address did too much of it, by kind.',
      labels: { kind: 'limits of an address' },
    },
    parley_addresses_tracked: {
      type: 'gauge',
      unit: '',
      help: 'Client addresses that something is remembered of.',
    },
    parley_connections_open: { type: 'gauge', unit: '', help: 'Connections of clients, websockets included.' },
    parley_connections_refused_total: {
      type: 'counter',
      unit: '',
      help: 'Connections that were closed at once because the process had too many.',
    },
  },
} as const satisfies MetricGroup
