#!/usr/bin/env node
/** The program of `npm start` and `parley serve`. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Log, ServerError } from '../../runtime/mod.ts'
import { TablesInUse, VaultError } from '../../storage/mod.ts'
import { createLog } from '../server/log.ts'
import { welcome } from './demo/welcome.ts'
import { type Parley, startParley } from './parley.ts'
import { ConfigError, readConfig } from './settings/mod.ts'
import { StopSignals } from './stop_signals.ts'
import { UnhandledErrors } from './unhandled_errors.ts'

/** Something that runs beside a Parley, and is stopped before it. */
type Beside = { stop(): Promise<void> }

/** Runs until it is told to stop. Resolves to the exit code. `begin` is called once Parley is ready. */
export async function serve(
  env: NodeJS.ProcessEnv = process.env,
  begin?: (parley: Parley) => Promise<Beside>,
): Promise<number> {
  // Files of this process are for its owner alone: messages in the journal of the simulator, logs of the servers.
  process.umask(0o077)
  const signals = new StopSignals(env)
  let parley: Parley | undefined
  let beside: Beside | undefined
  let in_production = false
  let log: Log | undefined
  const unhandled = new UnhandledErrors(
    () => log ?? createLog('error', process.stderr),
    () => parley !== undefined,
  )
  try {
    const config = readConfig(env)
    in_production = config.environment === 'production'
    // In development the log on the screen is short, because people read it there, unless they ask for more.
    const quiet = !in_production && env.PARLEY_LOG_LEVEL === undefined && config.access_log === 'off'
    log = createLog(quiet ? 'warn' : config.log_level)
    const tell = (text: string) => !in_production && process.stdout.write(text)
    const people = process.stdout.isTTY
    const { given_up } = signals
    parley = await startParley(config, { log, given_up, step: (text) => people && tell(`${text} …\n`) })
    signals.ready()
    tell(welcome(parley, env.PARLEY_DATA_DIR))
    beside = await begin?.(parley)
    const is_failed = await Promise.race([signals.request, unhandled.first.then(() => true)])
    if (is_failed) return 1
    if (people) tell('\nstopping …\n')
    await leave(parley, config.stop_grace_seconds, signals, log)
    return 0
  } catch (error) {
    if (signals.given_up.aborted && error === signals.given_up.reason) return 0
    in_production ||= error instanceof ConfigError && error.environment === 'production'
    complain(error, in_production)
    return 1
  } finally {
    signals.stopping()
    await beside?.stop()
    await parley?.stop()
    if (parley) log?.info({}, 'stopped')
  }
}

/** Reports not ready to load balancers, while the node still works. */
async function leave(parley: Parley, grace_s: number, signals: StopSignals, log: Log): Promise<void> {
  log.info({ grace_seconds: grace_s }, 'told to stop')
  if (grace_s === 0) return
  parley.leave()
  await Promise.race([pause(grace_s * 1000), signals.hurried])
}

/** In production every line is JSON, this one too. */
function complain(error: unknown, in_production: boolean): void {
  const text = sentence(error)
  if (!in_production) process.stderr.write(`${text ?? (error as Error).stack ?? String(error)}\n`)
  else createLog('error', process.stderr).error(text ? {} : { error }, text ?? 'Parley did not start')
}

/** A sentence for people about the error; undefined for unexpected errors. */
function sentence(error: unknown): string | undefined {
  if ([ConfigError, ServerError, VaultError, TablesInUse].some((kind) => error instanceof kind)) {
    return (error as Error).message
  }
  if (!(error instanceof Error) || !/^Cannot listen on/.test(error.message)) return undefined
  if (/for \/metrics/.test(error.message)) return error.message
  return `${error.message} Stop what listens there, or set PARLEY_PORT to another port.`
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) process.exit(await serve())
