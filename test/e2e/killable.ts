/** A Parley in a process of its own that a test can kill, with its provider simulator and a receiver of webhooks. */
import type { Waits } from '../../http/app/node/place.ts'
import type { Config } from '../../http/app/settings/mod.ts'
import type { SimulatorOptions } from '../../http/simulator/mod.ts'
import { type Child, startChild } from './child.ts'
import { startClient } from './client.ts'
import { OPERATOR_KEY, type Outside, outside, settings, startSimulatorFor } from './fixture.ts'
import { type Judge, startSink } from './sink.ts'

export type Killable = Outside & {
  config: Config
  /** Returns the address of the figures. */
  metrics_url(): Promise<string>
  /** Returns the process that runs now. */
  process(): Child
  /** Starts another process with the same settings, on the same port and data. Resolves when it answers. */
  start(): Promise<void>
}

type KillableOptions = {
  /** Settings for another node beside those that have them. */
  config?: Config
  waits?: Waits
  simulator?: Partial<SimulatorOptions>
  /** Options of Node.js. */
  flags?: string[]
  /** Returns settings that are added to the common ones or replace them. */
  env?: (config: Config, simulator_url: string) => Record<string, string> | Promise<Record<string, string>>
}

export async function startKillable(
  t: Judge,
  { config: given, waits = {}, simulator, flags, env }: KillableOptions = {},
): Promise<Killable> {
  const http = startClient(t)
  const sink = await startSink(t)
  const { url } = await startSimulatorFor(t, simulator)
  const config = given ?? (await settings(t))
  const all = {
    PARLEY_ENV: 'development',
    PARLEY_PORT: String(config.port),
    PARLEY_DATA_DIR: config.data_dir,
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_PARTITIONS: String(config.partitions),
    PARLEY_NATS_PREFIX: config.nats_prefix,
    PARLEY_NATS_REPLICAS: String(config.nats_replicas),
    DATABASE_URL: config.database_url!,
    NATS_URL: config.nats_url!,
    PARLEY_TEST_WAITS: JSON.stringify(waits),
    PARLEY_MODELS: JSON.stringify({ simulated: { url: `${url}/models/v1`, context: 128_000 } }),
    ...(await env?.(config, url)),
  }
  async function start(): Promise<Child> {
    const child = startChild(t, new URL('./run_parley.ts', import.meta.url), all, flags)
    await child.line(/^http:/)
    return child
  }
  let child = await start()
  return {
    ...outside(http, `http://127.0.0.1:${config.port}`, url),
    sink,
    config,
    metrics_url: () => child.line(/^http.*\/metrics$/),
    process: () => child,
    async start() {
      child = await start()
    },
  }
}
