/** Where a node stands: its addresses, its servers and its keys. */
import { parsePostgresUrl } from '../../../storage/mod.ts'
import { count, type Environment, setting } from './setting.ts'
import { atLeast, blobStore, integer, oneOf, path, type SettingType, secrets, text, url } from './types.ts'

const MAKE_ONE = 'make one with `openssl rand -hex 32` and keep it'

const postgres: SettingType<string> = {
  describe: 'URL (`postgres://`, `postgresql://`)',
  parse(value) {
    parsePostgresUrl(value)
    return value
  },
}

export const addresses = {
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
}
