/** The rows of the dashboard. `$job` and `$__rate_interval` are variables of Grafana. */
import type { Panel, Query, Row } from './panel.ts'

const JOB = 'job=~"$job"'
const REQUESTS = 'http_server_request_duration_seconds'
const MODEL_CALLS = 'gen_ai_client_operation_duration_seconds'

const q = (expr: string, legend = ''): Query => ({ expr, legend })
/** The rise of a counter a second. `by`: a label to tell series apart. */
const rate = (metric: string, by: string, selector = '') => {
  const inside = [JOB, selector].filter(Boolean).join(',')
  return q(`sum by (${by}) (rate(${metric}{${inside}}[$__rate_interval]))`, `{{${by}}}`)
}
const total = (metric: string, legend: string) => q(`sum(rate(${metric}{${JOB}}[$__rate_interval]))`, legend)
const quantile = (share: number, histogram: string, by: string, selector = '') => {
  const inside = [JOB, selector].filter(Boolean).join(',')
  const series = `sum by (le, ${by}) (rate(${histogram}_bucket{${inside}}[$__rate_interval]))`
  return q(`histogram_quantile(${share}, ${series})`, `{{${by}}} p${share * 100}`)
}
/** A metric that one node reports for all. */
const cluster = (metric: string, legend: string) => q(`max(${metric}{${JOB}})`, legend)
const each = (metric: string, legend = '{{instance}}') => q(`${metric}{${JOB}}`, legend)

const graph = (title: string, unit: Panel['unit'], ...queries: Query[]): Panel => ({
  title,
  kind: 'graph',
  unit,
  queries,
})
const stat = (title: string, unit: Panel['unit'], query: Query, bad_above?: number): Panel => ({
  title,
  kind: 'stat',
  unit,
  queries: [query],
  ...(bad_above !== undefined && { bad_above }),
})
const rare = (panel: Panel): Panel => ({ ...panel, is_rare: true })

export const ROWS: readonly Row[] = [
  {
    title: 'Overview',
    panels: [
      stat('Nodes not ready', 'short', q(`count(parley_ready{${JOB}} == 0) or vector(0)`), 0),
      stat('Oldest send', 's', cluster('parley_sends_waiting_oldest_seconds', ''), 600),
      stat('Deliveries overdue', 's', cluster('parley_deliveries_overdue_seconds', ''), 300),
      stat('Channels disconnected', 'short', q(`max(parley_channels{${JOB},status="disconnected"})`), 0),
      stat('Subscriptions disabled', 'short', cluster('parley_subscriptions_disabled', ''), 0),
      stat('Dead letters', 'short', q(`sum(max by (kind) (parley_dead_letters_kept{${JOB}})) or vector(0)`), 0),
      graph('Ready, by check', 'short', q(`min by (check) (parley_readiness_check{${JOB}})`, '{{check}}')),
      graph('Versions', 'short', q(`count by (version) (parley_build_info{${JOB}})`, '{{version}}')),
    ],
  },
  {
    title: 'API',
    panels: [
      graph('Requests by status', 'reqps', rate(`${REQUESTS}_count`, 'http_response_status_code')),
      graph(
        'Slowest routes, p99',
        's',
        q(
          `topk(8, histogram_quantile(0.99, sum by (le, http_route) (rate(${REQUESTS}_bucket{${JOB}}[$__rate_interval]))))`,
          '{{http_route}}',
        ),
      ),
      graph(
        'In flight',
        'short',
        each('parley_http_requests_in_flight'),
        each('parley_connections_open', '{{instance}} connections'),
      ),
      graph('Refused', 'ops', rate('parley_http_shed_total', 'limiter'), rate('parley_address_refused_total', 'kind')),
    ],
  },
  {
    title: 'Sends',
    panels: [
      graph('Tries by outcome', 'ops', rate('parley_sends_total', 'outcome')),
      graph('Tries by channel', 'ops', rate('parley_sends_total', 'channel')),
      graph('Answers of providers, p95', 's', quantile(0.95, 'parley_provider_call_duration_seconds', 'channel')),
      graph('Waiting', 'short', cluster('parley_sends_waiting', 'sends')),
      graph('Age of the oldest', 's', cluster('parley_sends_waiting_oldest_seconds', 'sends')),
      graph('Channels', 'short', q(`max by (status) (parley_channels{${JOB}})`, '{{status}}')),
    ],
  },
  {
    title: 'Webhooks',
    panels: [
      graph('Deliveries by outcome', 'ops', rate('parley_deliveries_total', 'outcome')),
      graph('Answers of receivers, p95', 's', quantile(0.95, 'parley_webhook_attempt_duration_seconds', 'outcome')),
      graph('Waiting', 'short', q(`max by (state) (parley_deliveries_waiting{${JOB}})`, '{{state}}')),
      graph('Overdue', 's', cluster('parley_deliveries_overdue_seconds', 'deliveries')),
      graph(
        'Given up, disabled',
        'short',
        cluster('parley_deliveries_dead', 'given up'),
        cluster('parley_subscriptions_disabled', 'disabled subscriptions'),
      ),
    ],
  },
  {
    title: 'Engine',
    panels: [
      graph(
        'Turns and messages',
        'ops',
        total('parley_turns_total', 'turns'),
        total('parley_actor_messages_total', 'messages'),
        total('parley_commits_total', 'commits'),
      ),
      graph(
        'Trouble',
        'ops',
        total('parley_turn_faults_total', 'faults'),
        total('parley_turns_blocked_total', 'blocked'),
        total('parley_messages_held_total', 'held'),
        total('parley_dead_letters_total', 'parked'),
      ),
      graph(
        'Partitions',
        'short',
        each('parley_partitions_owned'),
        cluster('parley_partitions_unowned', 'without an owner'),
      ),
      graph(
        'Outbox and timers',
        'short',
        cluster('parley_outbox_waiting', 'outbox'),
        cluster('parley_timers_waiting', 'timers'),
      ),
      graph(
        'Late',
        's',
        cluster('parley_outbox_oldest_seconds', 'outbox'),
        cluster('parley_timers_overdue_seconds', 'timers'),
      ),
      graph('Actors in memory', 'short', each('parley_actors_resident')),
    ],
  },
  {
    title: 'PostgreSQL and NATS',
    panels: [
      graph(
        'Pool',
        'short',
        q(`sum by (db_client_connection_state) (db_client_connection_count{${JOB}})`, '{{db_client_connection_state}}'),
        q(`sum(db_client_connection_max{${JOB}})`, 'max'),
      ),
      graph('Waiting for a connection', 'short', each('db_client_connection_pending_requests')),
      graph('Commits repeated', 'ops', total('parley_commit_retries_total', 'repeated')),
      graph(
        'NATS',
        'ops',
        total('parley_transport_published_total', 'published'),
        total('parley_transport_received_total', 'received'),
        total('parley_inbox_healed_total', 'healed from the outbox'),
      ),
    ],
  },
  {
    title: 'Assistants',
    panels: [
      rare(graph('Calls of models', 'ops', rate(`${MODEL_CALLS}_count`, 'gen_ai_request_model'))),
      rare(graph('Failed calls', 'ops', rate(`${MODEL_CALLS}_count`, 'error_type', 'error_type!=""'))),
      rare(graph('Answers of models, p95', 's', quantile(0.95, MODEL_CALLS, 'gen_ai_request_model'))),
      rare(graph('Tokens a second', 'short', rate('gen_ai_client_token_usage_sum', 'gen_ai_token_type'))),
      graph('Turns', 'ops', rate('parley_assistant_turns_total', 'outcome')),
      graph('Refused by budgets', 'ops', rate('parley_assistant_budget_refusals_total', 'budget')),
      graph('Conversations with an assistant', 'short', cluster('parley_assistant_conversations', 'conversations')),
      graph('Knowledge', 'short', cluster('parley_knowledge_pending', 'documents that wait')),
    ],
  },
  {
    title: 'Processes',
    panels: [
      graph(
        'CPU',
        'percentunit',
        q(`rate(process_cpu_seconds_total{${JOB}}[$__rate_interval])`, '{{instance}} {{process}}'),
      ),
      graph('Memory', 'bytes', each('process_resident_memory_bytes', '{{instance}} {{process}}')),
      graph('Event loop, p99', 's', each('nodejs_eventloop_lag_p99_seconds', '{{instance}} {{process}}')),
      graph('Open files', 'short', each('process_open_fds', '{{instance}} {{process}}')),
    ],
  },
]
