/**
 * The settings of a node and of its machine. Most of the file is the table of all settings, which stays one: people and
 * the reference page read it from top to bottom, and the few functions below it do nothing but read it.
 */
import { parsePostgresUrl } from '../storage/mod.ts'
import {
  atLeast,
  blobStore,
  certificates,
  daysBefore,
  integer,
  mailbox,
  names,
  networks,
  oneOf,
  path,
  proxy,
  publicKeys,
  recipients,
  type SettingType,
  schedule,
  secrets,
  service,
  text,
  url,
} from './setting_types.ts'

type Setting<Value> = {
  variable: string
  type: SettingType<Value>
  meaning: string
  /** Value when the variable is not set; it may depend on the environment. */
  default: Value | ((environment: Environment) => Value)
  /** The default in words, where the value alone is not clear. */
  default_text?: string
  secret?: true
  /** Required in production; ends the sentence that says so. */
  production?: string
}

type Environment = 'development' | 'production'

const setting = <Value>(declaration: Setting<Value>) => declaration

const MAKE_ONE = 'make one with `openssl rand -hex 32` and keep it'
const LOOPBACK = ['127.0.0.0/8', '::1/128']
const MODELS = [
  ...['gpt-5', 'gpt-5-mini', 'gpt-4.1', 'gpt-4.1-mini', 'gpt-4o', 'gpt-4o-mini', 'claude-opus-4-1'],
  ...['claude-sonnet-4-5', 'claude-haiku-4-5', 'gemini-2.5-pro', 'gemini-2.5-flash'],
]
const count = (variable: string, value: number, most: number, meaning: string) =>
  setting({ variable, type: integer(1, most), default: value, meaning })

const postgres: SettingType<string> = {
  describe: 'URL (`postgres://`, `postgresql://`)',
  parse(value) {
    parsePostgresUrl(value)
    return value
  },
}

/** Every setting, declared once. The reference page is made from this table. */
const settings = {
  port: count('PARLEY_PORT', 8080, 65_535, 'Port of the API.'),
  host: setting({
    variable: 'PARLEY_HOST',
    type: text,
    default: (environment) => (environment === 'development' ? '127.0.0.1' : '0.0.0.0'),
    default_text: '`127.0.0.1` in development, `0.0.0.0` in production',
    meaning: 'Address on which the API listens.',
  }),
  base_url: setting<string | null>({
    variable: 'PARLEY_BASE_URL',
    type: url('http', 'https'),
    default: null,
    default_text: 'host and port in development',
    production: 'name the address under which clients and providers reach it, such as https://parley.example.com',
    meaning: 'Address under which clients and providers reach the API: links to files and the web chat begin with it.',
  }),
  docs: setting({
    variable: 'PARLEY_DOCS',
    type: oneOf('on', 'off'),
    default: 'on',
    meaning: 'Serves the documentation of this release at `/docs`, and `/llms.txt`. It contains nothing of tenants.',
  }),
  data_dir: setting({
    variable: 'PARLEY_DATA_DIR',
    type: path,
    default: () => path.parse('./.parley'),
    default_text: '`./.parley`',
    meaning:
      'Directory for all data that a node keeps on its own disk: the embedded PostgreSQL and NATS, files, uploads in progress, `demo.json`.',
  }),
  blob_url: setting<string | null>({
    variable: 'PARLEY_BLOB_URL',
    type: blobStore,
    default: null,
    default_text: '`blobs` in the data directory',
    secret: true,
    meaning:
      'Store for uploaded files that no provider keeps: a directory shared by all machines that run nodes, or a bucket: `s3://key:secret@host/bucket/prefix?region=…&endpoint=http://…`.',
  }),
  database_url: setting<string | null>({
    variable: 'DATABASE_URL',
    type: postgres,
    default: null,
    default_text: 'an embedded PostgreSQL in the data directory',
    secret: true,
    meaning:
      'PostgreSQL to use, several servers separated by commas: `postgres://user:password@one:5432,two:5432/parley`. Parley uses the server that accepts writes.',
  }),
  nats_url: setting<string | null>({
    variable: 'NATS_URL',
    type: url('nats', 'tls'),
    default: null,
    default_text: 'an embedded nats-server in the data directory',
    secret: true,
    meaning:
      'NATS with JetStream to use, several servers separated by commas: `nats://user:password@host:4222`, `nats://token@host:4222`, or `nats://host:4222?creds=/path/parley.creds` for a credentials file or the seed of an nkey.',
  }),
  nats_replicas: setting({
    variable: 'PARLEY_NATS_REPLICAS',
    type: integer(1, 5),
    default: 1,
    meaning: 'Replicas of each stream in the NATS cluster.',
  }),
  nats_prefix: setting({
    variable: 'PARLEY_NATS_PREFIX',
    type: text,
    default: 'parley',
    meaning: 'First word of all subjects and streams, so that several clusters can share one NATS.',
  }),
  quiet: setting({
    variable: 'PARLEY_QUIET',
    type: oneOf('on', 'off'),
    default: 'off',
    meaning:
      'For a copy of a database whose disk was copied: `on` makes it a cluster of its own, and quiet until `parley resume`. Restored databases are quiet without it.',
  }),
  environment: setting<Environment>({
    variable: 'PARLEY_ENV',
    type: oneOf('development', 'production'),
    default: 'development',
    default_text: '`production` when `DATABASE_URL` is set, else `development`',
    meaning: 'Production requires HTTPS and your own keys; development creates a demo company.',
  }),
  operator_key: setting<string | null>({
    variable: 'PARLEY_OPERATOR_KEY',
    type: atLeast(16),
    default: null,
    default_text: 'created at the first development start',
    secret: true,
    production: MAKE_ONE,
    meaning: 'Bearer key of the operator API and the `parley` command.',
  }),
  secret: setting<string | null>({
    variable: 'PARLEY_SECRET',
    type: secrets,
    default: null,
    default_text: 'created at the first development start',
    secret: true,
    production: MAKE_ONE,
    meaning:
      'Encrypts stored credentials and webhook secrets; the same on all nodes. Several secrets are separated by commas: the first encrypts, each of them decrypts, so that it can be changed while nodes serve.',
  }),
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
      'Certificate authorities for webhook receivers, the mail server and the assistant service, in addition to those of the system.',
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
  smtp_url: setting<string | null>({
    variable: 'PARLEY_SMTP_URL',
    type: url('smtp', 'smtps'),
    default: null,
    default_text: 'none: mails are dropped',
    secret: true,
    meaning:
      'Mail server for e-mails of the service: `smtp://user:password@host:587` (TLS when the server offers it, `?requireTLS=true` requires it) or `smtps://…:465`. Needs `PARLEY_MAIL_FROM`.',
  }),
  mail_from: setting<string | null>({
    variable: 'PARLEY_MAIL_FROM',
    type: mailbox,
    default: null,
    default_text: 'none',
    meaning: 'Sender of these e-mails: `Parley <parley@example.com>`.',
  }),
  token_mail_to: setting({
    variable: 'PARLEY_TOKEN_MAIL_TO',
    type: recipients,
    default: ['owner'],
    default_text: '`owner`',
    meaning:
      'Recipients of e-mails about access tokens that were found in public or expire soon. `owner` is the user of the token.',
  }),
  token_warning_days: setting({
    variable: 'PARLEY_TOKEN_WARNING_DAYS',
    type: daysBefore,
    default: [14, 3, 1],
    meaning:
      'Days before the expiry of an access token at which its owner is warned by e-mail; `none` for no warnings.',
  }),
  secret_scanning_keys: setting<Record<string, string>>({
    variable: 'PARLEY_SECRET_SCANNING_KEYS',
    type: publicKeys,
    default: {},
    default_text: 'none: all reports are refused',
    meaning:
      'Public keys of GitHub’s secret scanning, as `https://api.github.com/meta/public_keys/secret_scanning` lists them. `POST /secret-scanning/alerts` accepts reports that one of them signed.',
  }),
  assistant_models: setting({
    variable: 'PARLEY_ASSISTANT_MODELS',
    type: names,
    default: MODELS,
    default_text: MODELS.map((model) => `\`${model}\``).join(', '),
    meaning: 'Models that assistants may use. The first is the default.',
  }),
  assistants_url: setting<string | null>({
    variable: 'PARLEY_ASSISTANTS_URL',
    type: service,
    default: null,
    default_text: 'none: nothing is called',
    meaning: 'Service that runs the assistants. It has to confirm every change of an assistant or a block.',
  }),
  assistants_key: setting<string | null>({
    variable: 'PARLEY_ASSISTANTS_KEY',
    type: text,
    default: null,
    default_text: 'none',
    secret: true,
    meaning: 'Bearer key for this service.',
  }),
  log_level: setting({
    variable: 'PARLEY_LOG_LEVEL',
    type: oneOf('debug', 'info', 'warn', 'error'),
    default: 'info' as const,
    meaning: 'Minimum severity of log lines.',
  }),
  metrics_port: setting<number | null>({
    variable: 'PARLEY_METRICS_PORT',
    type: integer(1, 65_535),
    default: null,
    default_text: 'the first free one from `9464` on',
    meaning: 'Port of `/metrics`. The log of the start and `parley doctor` show it.',
  }),
  metrics_host: setting({
    variable: 'PARLEY_METRICS_HOST',
    type: text,
    default: '127.0.0.1',
    meaning:
      'Address on which `/metrics` listens. It needs no key: choose an address that only your monitoring can reach.',
  }),
  stop_grace_seconds: setting({
    variable: 'PARLEY_STOP_GRACE_SECONDS',
    type: integer(0, 600),
    default: (environment) => (environment === 'development' ? 0 : 5),
    default_text: '`0` in development, `5` in production',
    meaning:
      'Seconds for which a stopping node answers 503 at `/ready` and still serves requests, so that load balancers stop using it.',
  }),
  stop_requests_seconds: setting({
    variable: 'PARLEY_STOP_REQUESTS_SECONDS',
    type: integer(1, 3600),
    default: (environment) => (environment === 'development' ? 10 : 60),
    default_text: '`10` in development, `60` in production',
    meaning:
      'Seconds for which a stopping node then waits for the requests in progress, such as large uploads over slow lines. Process managers have to wait 35 s longer than both together.',
  }),
  nats_server: setting<string | null>({
    variable: 'PARLEY_NATS_SERVER',
    type: path,
    default: null,
    default_text: 'found on the `PATH`, otherwise downloaded by the set-up',
    meaning: 'The nats-server binary (2.9 or newer) of an embedded start.',
  }),
}

export type Config = {
  [Key in keyof typeof settings]: (typeof settings)[Key] extends Setting<infer Value> ? Value : never
}

/** All problems with the settings, one sentence each. */
export class ConfigError extends Error {
  readonly problems: string[]
  readonly environment: Environment

  constructor(problems: string[], environment: Environment) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
    this.environment = environment
  }
}

/** Reads the settings from environment variables. An empty variable counts as not set. Throws `ConfigError`. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems = unknownVariables(env)
  const environment: Environment = env.PARLEY_ENV
    ? read(settings.environment)
    : env.DATABASE_URL
      ? 'production'
      : 'development'
  const entries = Object.entries(settings).map(([key, declaration]) => [key, read(declaration as Setting<unknown>)])
  const config: Config = { ...Object.fromEntries(entries), environment }
  if (environment === 'development') config.allow_networks = [...new Set([...config.allow_networks, ...LOOPBACK])]
  if (env.PARLEY_SMTP_URL && !env.PARLEY_MAIL_FROM) {
    problems.push('PARLEY_MAIL_FROM is not set, and PARLEY_SMTP_URL needs it: the address that mails come from.')
  }
  if (problems.length > 0) throw new ConfigError([...new Set(problems)], environment)
  return config

  function read<Value>({ variable, type, default: value, production, secret }: Setting<Value>): Value {
    const given = env[variable]
    const fallback = () => (value instanceof Function ? value(environment) : value)
    if (!given) {
      if (production && environment === 'production') {
        problems.push(`${variable} is not set, and production needs it: ${production}.`)
      }
      return fallback()
    }
    try {
      return type.parse(given)
    } catch (error) {
      problems.push(`${variable} ${(error as Error).message}${secret ? '' : `, not "${given}"`}.`)
      return fallback()
    }
  }
}

/** The settings that the environment has, as they are written there. */
export function givenSettings(env: NodeJS.ProcessEnv): { variable: string; value: string; is_secret: boolean }[] {
  return Object.values(settings as Record<string, Setting<unknown>>).flatMap(({ variable, secret = false }) => {
    const value = env[variable]
    return value ? [{ variable, value, is_secret: secret }] : []
  })
}

/** Read by the command line, which may share its environment with a server. */
const OF_CLIENTS = ['PARLEY_TOKEN', 'PARLEY_BACKUP_PASSPHRASE']

/** Reports unknown variables: a misspelt setting would otherwise have no effect, silently. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = Object.values(settings).map(({ variable }) => variable)
  return Object.keys(env)
    .filter((name) => name.startsWith('PARLEY_') && !name.startsWith('PARLEY_TEST_') && !known.includes(name))
    .filter((name) => !OF_CLIENTS.includes(name))
    .map((name) => {
      const nearest = known.toSorted((one, other) => distance(name, one) - distance(name, other))[0] ?? ''
      const hint = distance(name, nearest) <= 4 ? `did you mean ${nearest}?` : 'see docs/configuration.md.'
      return `${name} is not a setting of Parley: ${hint}`
    })
}

/** Levenshtein's distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, against] of [...other].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === against ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The settings as a Markdown table, for docs/configuration.md. */
export function configReference(): string {
  const rows = Object.values(settings as Record<string, Setting<unknown>>).map((declaration) => {
    const { variable, type, meaning, secret, production } = declaration
    const notes = [meaning, production && 'Required in production.', secret && 'Secret.'].filter(Boolean).join(' ')
    return `| \`${variable}\` | ${type.describe} | ${defaultText(declaration)} | ${notes} |`
  })
  return ['| variable | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function defaultText({ default_text, default: value }: Setting<unknown>): string {
  if (default_text) return default_text
  const shown = String(value)
  return shown === '' ? 'none' : `\`${shown}\``
}
