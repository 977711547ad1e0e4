import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from '../../app/settings/mod.ts'
import { serverEnvironment } from '../node/serve.ts'

/** The readiness of a running Parley; `broker` and `database` are `ok` or an error. */
export type Readiness = { status: string; checks: Record<string, string>; warnings: string[] }

/** The facts that the checks use. */
export type DoctorContext = {
  env: NodeJS.ProcessEnv
  config: Config
  /** Errors of the settings; `config` then holds defaults in their place. */
  problems: string[]
  /** Process id of the Parley that has the data directory. */
  pid: number | undefined
  /** Readiness of the Parley on the configured port. */
  readiness: Readiness | undefined
}

const PATIENCE_MS = 10_000

export async function readDoctorContext(): Promise<DoctorContext> {
  const env = serverEnvironment()
  const { config, problems } = readWhatCanBeRead(env)
  return { env, config, problems, pid: runningPid(config.data_dir), readiness: await readinessOf(config) }
}

/** The settings, with defaults in the place of wrong ones. */
export function readWhatCanBeRead(env: NodeJS.ProcessEnv): { config: Config; problems: string[] } {
  try {
    return { config: readConfig(env), problems: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // Each sentence begins with its variable. Missing production settings get placeholders.
    const wrong = new Set(error.problems.map((sentence) => sentence.split(' ')[0]))
    const right = Object.entries(env).filter(([name]) => !wrong.has(name))
    const stand_in = 'x'.repeat(32)
    const needed = {
      PARLEY_OPERATOR_KEY: stand_in,
      PARLEY_SECRET: stand_in,
      PARLEY_BASE_URL: 'https://parley.example.com',
    }
    return { config: readConfig({ ...needed, ...Object.fromEntries(right) }), problems: error.problems }
  }
}

/** `parley.pid` holds the pid of the process that claimed the directory, even after that was killed. */
function runningPid(data_dir: string): number | undefined {
  let pid: number | undefined
  try {
    pid = Number.parseInt(readFileSync(join(data_dir, 'parley.pid'), 'utf8'), 10)
    process.kill(pid, 0)
    return pid
  } catch (error) {
    // Alive, but another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined
  }
}

/** The address a client on this machine uses. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${address}:${port}`
}

async function readinessOf(config: Config): Promise<Readiness | undefined> {
  try {
    const response = await fetch(`${localUrl(config)}/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const answer = (await response.json()) as Partial<Readiness>
    const { status, checks, warnings = [] } = answer
    return status && checks ? { status, checks, warnings } : undefined
  } catch {
    return undefined
  }
}
