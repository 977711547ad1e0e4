/** A Parley node as `npm start` runs it, with its own PostgreSQL and nats-server below a fresh data directory. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgresUrl } from '../../../runtime/servers/postgres.ts'
import { type Child, startChild } from './child.ts'
import { freePort, statusOf } from './ports.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
export const OPERATOR_KEY = 'operator-key-of-the-benchmarks'
/** Limits that are out of the way of a load. */
export const UNLIMITED = {
  minute: 1_000_000_000,
  hour: 1_000_000_000,
  day: 1_000_000_000,
  ingest_minute: 1_000_000_000,
}

/** A running node. `database_url` is its embedded PostgreSQL; `admin` is the operator API, throwing unless it says 2xx. */
export type Parley = {
  child: Child
  port: number
  database_url: string
  admin(method: string, path: string, body: unknown): Promise<Record<string, unknown>>
}

/** A project whose rate limits are out of the way of a load, and a token for it. */
export type OpenProject = { project_id: string; token: string }

/** Starts a node and waits until it takes requests. `settings`: further variables of its environment. */
export async function startParley(directory: string, settings: Record<string, string> = {}): Promise<Parley> {
  const port = await freePort()
  const data = join(directory, 'parley')
  const child = await startChild({
    name: 'parley',
    command: '/bin/sh',
    args: ['-c', startScript()],
    cwd: ROOT,
    env: {
      PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
      // The default of `npm start`. Runs with other values can be compared.
      MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '1',
      PARLEY_PORT: String(port),
      PARLEY_HOST: '127.0.0.1',
      PARLEY_DATA_DIR: data,
      PARLEY_OPERATOR_KEY: OPERATOR_KEY,
      // This is a development start, whatever the caller's environment says.
      DATABASE_URL: '',
      NATS_URL: '',
      ...settings,
    },
    ready: async () => (await statusOf(`http://127.0.0.1:${port}/ready`)) === 200,
  })
  const { postgres_port, postgres_password } = JSON.parse(readFileSync(join(data, 'servers.json'), 'utf8'))
  return { child, port, database_url: postgresUrl(postgres_port, postgres_password), admin: adminOf(port) }
}

/** Makes a company with one project and a token of the given scopes. */
export async function openProject({ admin }: Pick<Parley, 'admin'>, scopes: string[]): Promise<OpenProject> {
  const company = await admin('POST', '/companies', { name: 'Benchmarks' })
  const project = await admin('POST', '/projects', { company_id: company._id, name: 'Benchmarks', limits: UNLIMITED })
  const user = await admin('POST', '/users', {
    company_id: company._id,
    full_name: 'Bench Mark',
    email: `bench.${company._id}@example.com`,
    permissions: ['developer.manage_tokens'],
  })
  const fields = { project_id: project._id, user_id: user._id, name: 'Benchmarks', scopes }
  const token = await admin('POST', '/tokens', fields)
  return { project_id: String(project._id), token: String(token.token) }
}

/** Returns the command behind `npm start`. Throws as long as there is none. */
export function startScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  if (typeof scripts?.start !== 'string') throw new Error('package.json has no start script')
  return scripts.start
}

/** The operator API of the node at this port. */
export function adminOf(port: number): Parley['admin'] {
  return async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
}
