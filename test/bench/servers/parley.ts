/** A Parley node as `npm start` runs it, with its own PostgreSQL and nats-server below a fresh data directory. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Child, startChild } from './child.ts'
import { freePort, statusOf } from './ports.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** What a development start writes for those who want to try it. */
export type Demo = {
  token: string
  operator_key: string
  company_id: string
  project_id: string
  channels: Record<string, { id: string; phone_number_id?: string }>
}

/** A running node. `admin` calls the operator API and throws on anything but a 2xx. */
export type Parley = {
  child: Child
  port: number
  demo: Demo
  admin(method: string, path: string, body: unknown): Promise<Record<string, unknown>>
}

/** Starts a node and waits until it takes requests. */
export async function startParley(directory: string, env: Record<string, string> = {}): Promise<Parley> {
  const start = startScript()
  const port = await freePort()
  const data = join(directory, 'parley')
  const child = await startChild({
    name: 'parley',
    command: '/bin/sh',
    args: ['-c', start],
    cwd: ROOT,
    env: {
      PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
      PARLEY_PORT: String(port),
      PARLEY_HOST: '127.0.0.1',
      PARLEY_DATA_DIR: data,
      ...env,
    },
    ready: async () =>
      (await statusOf(`http://127.0.0.1:${port}/ready`)) === 200 && existsSync(join(data, 'demo.json')),
    timeout_ms: 60_000,
  })
  const demo = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')) as Demo
  return { child, port, demo, admin: adminOf(port, demo) }
}

/** Lifts the rate limits of the demo project out of the way of a load. */
export async function liftLimits({ admin, demo }: Parley): Promise<void> {
  const limit = 1_000_000_000
  const limits = { minute: limit, hour: limit, day: limit, ingest_minute: limit }
  await admin('PATCH', `/projects/${demo.project_id}`, { limits })
}

/** The command behind `npm start`; throws as long as there is none. */
export function startScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  if (typeof scripts?.start !== 'string') throw new Error('package.json has no start script')
  return scripts.start
}

function adminOf(port: number, demo: Demo): Parley['admin'] {
  return async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${demo.operator_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
}
