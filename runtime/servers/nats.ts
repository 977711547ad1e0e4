import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import type { Log } from '../log.ts'
import type { Guardian } from './guardian.ts'
import { stopLeftover } from './leftover.ts'
import { ServerError } from './server_error.ts'
import { ServerProcess } from './server_process.ts'

export type NatsOptions = {
  /** Holds `nats/` (the JetStream store), `nats.conf`, `nats.pid` and `nats.log`. */
  directory: string
  port: number
  token: string
}

export function natsUrl(port: number, token: string): string {
  return `nats://${token}@127.0.0.1:${port}`
}

/** Stops a nats-server that outlived its Parley. */
export function stopLeftoverNats(directory: string): Promise<void> {
  return stopLeftover(join(directory, 'nats.pid'), join(directory, 'nats.conf'), 'SIGTERM')
}

/** Prepares a nats-server with JetStream, to be started in `directory`. */
export function prepareNats({ directory, port, token }: NatsOptions, guardian: Guardian, log: Log): ServerProcess {
  const store = join(directory, 'nats')
  const config = join(directory, 'nats.conf')
  const pid_file = join(directory, 'nats.pid')
  mkdirSync(store, { recursive: true, mode: 0o700 })
  writeFileSync(config, configuration(store, pid_file, port, token), { mode: 0o600 })
  return new ServerProcess(
    {
      name: 'nats-server',
      command: natsBinary(),
      args: ['-c', config],
      cwd: '/',
      log_file: join(directory, 'nats.log'),
      stop_signal: 'SIGTERM',
      ready_within_ms: 60_000,
      isReady: () => greets(port),
    },
    guardian,
    log,
  )
}

function configuration(store: string, pid_file: string, port: number, token: string): string {
  return `# Written by Parley at every start.
listen: "127.0.0.1:${port}"
server_name: "parley-${port}"
pid_file: ${JSON.stringify(pid_file)}
authorization { token: ${JSON.stringify(token)} }
max_payload: 8MB
jetstream { store_dir: ${JSON.stringify(store)} }
`
}

/** True when the server greets: it listens only once JetStream has recovered, and then greets every connection. */
export function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(1000, () => done(false))
    socket.once('error', () => done(false))
    socket.once('close', () => done(false))
    socket.once('data', (greeting) => done(greeting.includes('"jetstream":true')))
  })
}

/** Path of nats-server: `PARLEY_NATS_SERVER`, the PATH, or the directory of the set-up. */
export function natsBinary(env: NodeJS.ProcessEnv = process.env): string {
  const named = env.PARLEY_NATS_SERVER
  const candidates = named
    ? [named]
    : [...(env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'nats-server')), ...installed()]
  const found = candidates.find(isExecutable)
  if (found) return found
  throw new ServerError(
    named
      ? `PARLEY_NATS_SERVER names ${named}, which cannot be executed: correct it or leave it out.`
      : 'There is no nats-server on this machine: run `npm run setup`, or set NATS_URL or PARLEY_NATS_SERVER.',
  )
}

/** Reads the record that runtime/bootstrap.mjs keeps of its set-up. */
function installed(): string[] {
  try {
    const record = new URL('../../node_modules/.parley-setup.json', import.meta.url)
    return [JSON.parse(readFileSync(record, 'utf8')).nats_server]
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
