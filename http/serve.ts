#!/usr/bin/env node
/** The program behind `npm start` and `parley serve`. */
import { ConfigError, readConfig, ServerError } from '../runtime/mod.ts'
import { welcome } from './demo/welcome.ts'
import { createLog } from './log.ts'
import { type Parley, startParley } from './parley.ts'

/** Runs until it is told to stop. Resolves to the exit code. */
export async function serve(env: NodeJS.ProcessEnv = process.env): Promise<number> {
  let parley: Parley | undefined
  let stopping_since = 0
  const stopped = new Promise<void>((resolve) => {
    const onSignal = () => {
      // A second Ctrl-C does not wait; but one Ctrl-C may come twice, from the terminal and from npm.
      if (stopping_since > 0 && Date.now() - stopping_since > 1000) process.exit(130)
      stopping_since ||= Date.now()
      resolve()
    }
    if (env.npm_lifecycle_event) watchParent(onSignal)
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    process.on('SIGHUP', onSignal)
  })
  const people = process.stdout.isTTY
  try {
    const config = readConfig(env)
    // In development the log is kept short on the screen: people read it there.
    const quiet = config.environment === 'development' && env.PARLEY_LOG_LEVEL === undefined
    const log = createLog(quiet ? 'warn' : config.log_level)
    const step = (text: string) => people && process.stdout.write(`${text} …\n`)
    parley = await startParley(config, { log, step })
    process.stdout.write(welcome(parley.base_url, parley.demo))
    await stopped
    if (people) process.stdout.write('\nstopping …\n')
    return 0
  } catch (error) {
    process.stderr.write(`${sentence(error)}\n`)
    return 1
  } finally {
    await parley?.stop()
  }
}

/** When npm is killed, nobody would tell us to stop. */
function watchParent(gone: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && gone(), 1000).unref()
}

/** What went wrong, for people; a stack only for what nobody expected. */
function sentence(error: unknown): string {
  if (error instanceof ConfigError || error instanceof ServerError) return error.message
  if (error instanceof Error && /^Cannot listen on/.test(error.message)) {
    return `${error.message} Stop what listens there, or set PARLEY_PORT to another port.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) process.exit(await serve())
