/** Limits of a node and of its tenants: what is kept for how long, who may be reached, how many and how much. */
import { count, setting } from './setting.ts'
import { certificates, integer, networks, proxy, schedule } from './types.ts'

export const limits = {
  webhook_schedule: setting({
    variable: 'PARLEY_WEBHOOK_SCHEDULE',
    type: schedule,
    default: [0, 5, 300, 1800, 7200],
    meaning: 'Pauses before each attempt of a webhook delivery; the number of entries is the number of attempts.',
  }),
  retention_days: count(
    'PARLEY_RETENTION_DAYS',
    30,
    3650,
    'Days for which events, webhook deliveries and their attempts are kept, and contents of deleted documents.',
  ),
  dead_letter_days: count(
    'PARLEY_DEAD_LETTER_DAYS',
    90,
    3650,
    'Days for which dead letters are kept, and for which Parley remembers that it sent a service mail.',
  ),
  audit_days: count('PARLEY_AUDIT_DAYS', 730, 36_500, 'Days for which audit entries are kept.'),
  allow_networks: setting({
    variable: 'PARLEY_ALLOW_NETWORKS',
    type: networks,
    default: [],
    default_text: 'none; development always adds loopback',
    meaning: 'Private networks that webhooks, agent tools and media links may reach.',
  }),
  certificates: setting({
    variable: 'PARLEY_CA_FILE',
    type: certificates,
    default: [],
    default_text: 'none',
    meaning:
      'Certificate authorities for webhook receivers, the mail server, models and the assistant service, in addition to those of the system.',
  }),
  outbound_proxy: setting<string | null>({
    variable: 'PARLEY_OUTBOUND_PROXY',
    type: proxy,
    default: null,
    default_text: 'none',
    secret: true,
    meaning:
      'HTTP proxy for webhooks, agent tools, imports and linked files; it must support CONNECT. `http://user:password@host:port`.',
  }),
  trusted_proxies: setting({
    variable: 'PARLEY_TRUSTED_PROXIES',
    type: networks,
    default: [],
    meaning: 'Proxies whose `X-Forwarded-Proto` and `X-Forwarded-For` are trusted.',
  }),
  address_people: count(
    'PARLEY_ADDRESS_PEOPLE',
    200,
    1_000_000,
    'People who may share one client address, such as an office behind one NAT; the limits of unauthenticated requests per address grow with it.',
  ),
  nodes: count('PARLEY_NODES', 1, 64, 'Node processes on this machine; they share one port.'),
  partitions: count('PARLEY_PARTITIONS', 64, 4096, 'Partitions of the cluster; fixed when its database is created.'),
  pool_size: setting({
    variable: 'PARLEY_POOL_SIZE',
    type: integer(4, 500),
    default: 8,
    meaning:
      'PostgreSQL connections of a node in total: one for commits, one for heartbeats, the rest for reads and records.',
  }),
  max_requests: count(
    'PARLEY_MAX_REQUESTS',
    4096,
    1_000_000,
    'Concurrent requests of each kind (writes, reads, uploads and so on) on a node; further ones get 503 with `Retry-After`.',
  ),
  max_visitors: count(
    'PARLEY_MAX_VISITORS',
    20_000,
    1_000_000,
    'Open pages of web chats on a node, at most half of them of one company; further ones are asked to come back.',
  ),
  channel_backlog: count(
    'PARLEY_CHANNEL_BACKLOG',
    100_000,
    1_000_000_000,
    'Messages that may wait for one channel, such as while its provider is down; further sends get 503 with `Retry-After`.',
  ),
  files_per_project: count(
    'PARLEY_FILES_PER_PROJECT',
    100_000,
    1_000_000_000,
    'Uploaded files that Parley keeps for one project; further uploads get 422. Visitors of the web chat may fill half.',
  ),
  files_per_project_gib: count(
    'PARLEY_FILES_PER_PROJECT_GIB',
    100,
    1_000_000,
    'The same in GiB of all these files together.',
  ),
  conversions: count(
    'PARLEY_CONVERSIONS',
    3,
    64,
    'PDF and HTML documents that a node converts at once, each in a process of its own with at most 512 MiB and one processor.',
  ),
  limit_minute: count(
    'PARLEY_LIMIT_MINUTE',
    60,
    1_000_000_000,
    'Requests of a project per minute, unless its record sets another limit.',
  ),
  limit_hour: count('PARLEY_LIMIT_HOUR', 200, 1_000_000_000, 'The same per hour.'),
  limit_day: count('PARLEY_LIMIT_DAY', 1000, 1_000_000_000, 'The same per day.'),
  limit_ingest_minute: count(
    'PARLEY_LIMIT_INGEST_MINUTE',
    6000,
    1_000_000_000,
    'Ingested CRM events of a project per minute.',
  ),
}
