import { setTimeout as pause } from 'node:timers/promises'
import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import type { Server } from '../servers/child.ts'
import { startNats } from '../servers/nats.ts'
import { startPostgres } from '../servers/postgres.ts'
import { type Remote, startRemote } from '../servers/remote.ts'

const SETTLE_MS = 1_000

/** One node and its receivers. */
export type World = {
  host: Remote
  load: Remote
  processes(): Record<string, number>
  stop(): Promise<void>
}

/** Starts everything below `directory`. */
export async function startWorld(directory: string): Promise<World> {
  const started: Server[] = []
  const stop = async () => {
    for (const server of started.splice(0).reverse()) await server.stop()
  }
  try {
    const postgres = await startPostgres(directory)
    started.push(postgres.server)
    const nats = await startNats(directory, 'default')
    started.push(nats.server)
    const load = await startRemote('load', import.meta.url, './load_host.ts')
    started.push(load.child)
    const sink_port = await load.call<number>('sink_port')
    const config = { database_url: postgres.url, nats_url: nats.url, sink_port }
    const host = await startRemote('host', import.meta.url, './node_host.ts', config)
    started.push(host.child)
    await load.call('connect', await host.call<number>('port'))
    const processes = () => ({
      host: host.child.pid,
      postgres: postgres.server.pid,
      nats: nats.server.pid,
      load: load.child.pid,
    })
    return { host, load, processes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startTouched(directory: string): Promise<World> {
  const world = await startWorld(directory)
  await world.load.call('touch')
  return world
}

/** The same node twice: with receivers that hang during its rounds, and with none. */
export function isolationPeers(): Peer[] {
  let world: Promise<World> | undefined
  let running: World
  const peer = (name: string, hangs: boolean): Peer => ({
    name,
    async start(directory) {
      world ??= startTouched(directory)
      running = await world
    },
    async run(round: Load) {
      if (hangs) await running.load.call('hang', round.variant)
      const before = await running.load.call<number>('hung')
      const sample = await running.load.call<Sample>('run', round)
      const hung = (await running.load.call<number>('hung')) - before
      if (hangs && hung === 0) throw new Error('nobody hung')
      return sample
    },
    /** Waits, so that nothing of one round is left over in the next. */
    async rest() {
      await running.load.call('release')
      await pause(SETTLE_MS)
    },
    processes: () => running.processes(),
    async stop() {
      await (await world?.catch(() => undefined))?.stop()
    },
  })
  return [peer('parley', true), peer('nobody-hangs', false)]
}
