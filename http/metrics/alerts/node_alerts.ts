/** Alerts of nodes and of the servers that they need. */
import type { AlertGroup } from './alert.ts'

const REQUESTS = 'http_server_request_duration_seconds'

export const NODES: AlertGroup = {
  title: 'Nodes',
  alerts: {
    ParleyNodeDown: {
      severity: 'page',
      for: '1m',
      expr: 'up{job="parley"} == 0',
      summary: '{{ $labels.instance }} does not answer',
      cause: 'The process has ended, its machine is away, or the port of its metrics cannot be reached.',
      look: '`parley cluster status` at another node; the log of the node and of its process manager.',
      act: 'Other nodes take its partitions within three seconds, so start it again in peace. Where it ends at each start, its log has one sentence that says why.',
    },
    ParleyNodeRestarts: {
      severity: 'ticket',
      for: '0m',
      expr: 'changes(process_start_time_seconds{job="parley"}[30m]) > 2',
      summary: '{{ $labels.instance }} was started again and again',
      cause:
        'The process ends by itself: an error that no code handles, or a limit on its memory (`OOMKilled`, the kernel log).',
      look: 'The last lines before each end: "an error was not handled; this process ends".',
      act: 'Raise the limit of memory where it was reached. Report the line otherwise.',
    },
    ParleyNodeNotReady: {
      severity: 'page',
      for: '2m',
      expr: 'parley_ready == 0',
      summary: '{{ $labels.instance }} is not ready',
      cause:
        'A part of `/ready` is missing: `database`, `broker` (other nodes are connected to it, and this one is not), `partitions` (no partition is owned here), `lane` (a commit waits), `secret` (the database was created with another `PARLEY_SECRET`) or `node` (it was told to stop). The process is healthy and waits.',
      look: '`parley_readiness_check`, and the body of `/ready`, which has a sentence for each part.',
      act: 'As the alert of that part says. A node that was told to stop and stays for longer than its grace period finishes long requests.',
    },
    ParleyNodeWarns: {
      severity: 'ticket',
      for: '10m',
      expr: 'parley_warnings > 0',
      summary: '{{ $labels.instance }} has {{ $value }} warnings at /ready',
      cause:
        'Nodes keep uploaded files in several stores, a directory or the store of files cannot be written, some nodes lack a key of `PARLEY_SECRET`, the cluster is quiet, or the broker is away from all nodes.',
      look: '`warnings` in the body of `/ready`.',
      act: 'Set `PARLEY_BLOB_URL` on all nodes; make room or repair the place that the log names; give all nodes the same keys ([secrets.md](secrets.md#when-something-is-wrong)); `parley resume` ends the quiet.',
    },
    ParleyDatabaseAway: {
      severity: 'page',
      for: '1m',
      expr: 'parley_readiness_check{check="database"} == 0',
      summary: '{{ $labels.instance }} gets no answer from PostgreSQL',
      cause: 'PostgreSQL is down, has no connection free, or the network to it is cut.',
      look: 'PostgreSQL and its log; "the lease could not be renewed" in the logs of the nodes: on one node it is its own connection, on all nodes PostgreSQL itself.',
      act: 'Bring PostgreSQL back. Nodes go on by themselves: "PostgreSQL answers again". Nothing that was acknowledged is lost.',
    },
    ParleyBrokerAway: {
      severity: 'page',
      for: '2m',
      expr: 'parley_readiness_check{check="broker"} == 0',
      summary: '{{ $labels.instance }} is not connected to NATS',
      cause: 'NATS is down, or the network to it is cut.',
      look: 'NATS and its log; `warnings` at `/ready`. Where all nodes have the alert, each serves its own partitions and answers 503 for others.',
      act: 'Bring NATS back. Nodes connect by themselves ("the broker is back") and create missing streams. Messages between actors wait in the outbox meanwhile.',
    },
    ParleyCommitsStuck: {
      severity: 'page',
      for: '1m',
      expr: 'parley_readiness_check{check="lane"} == 0',
      summary: 'A commit of {{ $labels.instance }} waits',
      cause:
        'PostgreSQL lets no commit through: locks on whole tables, a full disk, or a primary that waits for its standby.',
      look: 'The query under [Locks](operations.md#connections) names the session that holds the lock.',
      act: 'End that session, free disk space, or restore the standby. Restarting the node does not help: the commit goes on by itself.',
    },
    ParleyPoolFull: {
      severity: 'ticket',
      for: '2m',
      expr: 'db_client_connection_pending_requests{job="parley"} > 0',
      summary: '{{ $value }} statements of {{ $labels.instance }} wait for a connection to PostgreSQL',
      cause: 'All connections of the pool are in use: slow reads, locks, or more work than the pool can do.',
      look: "`select * from pg_stat_activity where state <> 'idle'`.",
      act: 'End what blocks. Raise `PARLEY_POOL_SIZE` where PostgreSQL has room ([operations.md](operations.md#connections)), or add nodes.',
    },
    ParleyFilesRunOut: {
      severity: 'ticket',
      for: '10m',
      expr: 'process_open_fds{job="parley"} / process_max_fds{job="parley"} > 0.8',
      summary: '{{ $labels.instance }} has opened {{ $value | humanizePercentage }} of the files it may open',
      cause: 'Each connection of a client is an open file, and the process may open few.',
      look: '`parley_connections_open`, and `ulimit -n` of the process.',
      act: 'Raise the limit (`LimitNOFILE=65536`), or add nodes.',
    },
    ParleyConnectionsRefused: {
      severity: 'page',
      for: '0m',
      expr: 'sum by (instance) (increase(parley_connections_refused_total[5m])) > 0',
      summary: '{{ $labels.instance }} closes new connections',
      cause: 'More clients than the process may have connections, or some that keep thousands open.',
      look: '`parley_connections_open`, and `ulimit -n` of the process.',
      act: 'Raise the limit of open files, or add nodes.',
    },
    ParleyEventLoopLate: {
      severity: 'ticket',
      for: '10m',
      expr: 'nodejs_eventloop_lag_p99_seconds{job="parley"} > 0.5',
      summary: 'The event loop of {{ $labels.instance }} is {{ $value }} s late',
      cause: 'The machine has too little CPU for this process, or swaps.',
      look: '`process_cpu_seconds_total`; the load and the steal time of the machine.',
      act: 'Give it a core of its own, or add nodes ([scaling.md](scaling.md)).',
    },
    ParleyVersionsMixed: {
      severity: 'ticket',
      for: '1h',
      expr: 'count(count by (version) (parley_build_info)) > 1',
      summary: 'Nodes of {{ $value }} versions run beside each other',
      cause: 'A rolling upgrade was not finished.',
      look: '`parley cluster status`.',
      act: 'Finish it: upgrade the nodes that are left ([operations.md](operations.md#upgrading)).',
    },
  },
}

export const REQUEST: AlertGroup = {
  title: 'Requests',
  alerts: {
    ParleyRequestsFailing: {
      severity: 'page',
      for: '5m',
      expr: `sum(rate(${REQUESTS}_count{job="parley",http_response_status_code=~"5.."}[5m])) / sum(rate(${REQUESTS}_count{job="parley"}[5m])) > 0.02`,
      summary: '{{ $value | humanizePercentage }} of the requests get 5xx',
      cause:
        '503: PostgreSQL, NATS or the owner of a partition is away, or there are too many requests. 500: an error of Parley.',
      look: `\`sum by (http_route, http_response_status_code) (rate(${REQUESTS}_count{http_response_status_code=~"5.."}[5m]))\`; for 500 the log at level \`error\`, by its \`request_id\`.`,
      act: 'As the other alerts say. Report an error of Parley with its line.',
    },
    ParleySendsAcceptedSlowly: {
      severity: 'ticket',
      for: '10m',
      expr: `histogram_quantile(0.99, sum by (le) (rate(${REQUESTS}_bucket{job="parley",http_request_method="POST",http_route="/v1/messages"}[5m]))) > 2`,
      summary: 'POST /v1/messages takes up to {{ $value }} s',
      cause: 'Commits are slow (disk, synchronous standby), or the node has too little CPU.',
      look: '`parley_commits_total`, ParleyEventLoopLate, the latency of the disk of PostgreSQL.',
      act: 'See [scaling.md](scaling.md) for what limits what.',
    },
    ParleyRequestsShed: {
      severity: 'page',
      for: '5m',
      expr: 'sum by (limiter) (rate(parley_http_shed_total[5m])) > 0',
      summary: 'Requests are refused at once: too many for {{ $labels.limiter }}',
      cause:
        'More requests arrive than can be processed in about two seconds. The limiter says what they need: `turns` writes, `reads` reads of the database, `far` another node, `calls` webhooks of providers, `operations` work at a provider or service, `uploads`, `downloads`, `waits` polls of webhooks, `served` MCP.',
      look: '`parley_http_limiter_inside`, and `parley top` for the projects that make most work.',
      act: 'Remove the bottleneck: PostgreSQL, or this machine. Lower the limits of a project that takes too much ([limits.md](limits.md)).',
    },
  },
}
