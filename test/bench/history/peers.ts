import { setTimeout as pause } from 'node:timers/promises'
import { openSender, type Sender } from '../broadcast/project.ts'
import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { type Provider, startProvider } from '../send/provider.ts'
import type { Server } from '../servers/child.ts'
import { OPERATOR_KEY, type Parley, startParley } from '../servers/parley.ts'
import { type Remote, startRemote } from '../servers/remote.ts'

/** Messages of the history, of a thousand people. */
export const HISTORY = 100_000
const PEOPLE = 1_000
const SETTLE_MS = 1_000

type World = {
  node: Parley
  load: Remote
  provider: Provider
  sender: Sender
  processes(): Record<string, number>
  stop(): Promise<void>
}

async function startWorld(directory: string): Promise<World> {
  const started: Server[] = []
  const stop = async () => {
    for (const server of started.splice(0).reverse()) await server.stop()
  }
  try {
    const provider = await startProvider()
    started.push(provider)
    const node = await startParley(directory)
    started.push(node.child)
    const load = await startRemote('people who write', import.meta.url, './live_host.ts')
    started.push(load.child)
    const sender = await openSender(node, provider.url)
    await provider.notify(`http://127.0.0.1:${node.port}/providers/whatsapp/${sender.channel_id}`)
    await load.call('target', { port: node.port, channel_id: sender.channel_id })
    const processes = () => ({ parley: node.child.pid, provider: provider.pid, load: load.child.pid })
    return { node, load, provider, sender, processes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Messages of the history that are stored. */
async function importedCount({ node, sender }: World): Promise<number> {
  const url = `http://127.0.0.1:${node.port}/admin/v1/channels/${sender.channel_id}/history`
  const response = await fetch(url, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } })
  return response.ok ? ((await response.json()) as { message_count: number }).message_count : 0
}

async function tellHistory({ provider }: World): Promise<void> {
  const response = await fetch(`${provider.url}/_control/history`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ people: PEOPLE, messages: HISTORY }),
  })
  if (!response.ok) throw new Error(`the simulator refused the history: ${await response.text()}`)
}

/** The same node twice: without a history, and while the one of a round is imported. */
export function historyPeers(): Peer[] {
  let world: Promise<World> | undefined
  let running: World
  const peer = (name: string, tells: boolean): Peer => ({
    name,
    async start(directory) {
      world ??= startWorld(directory)
      running = await world
    },
    async run(round: Load) {
      if (!tells) return running.load.call<Sample>('run', round)
      const before = await importedCount(running)
      const from = performance.now()
      const told = tellHistory(running)
      const sample = await running.load.call<Sample>('run', round)
      const imported = (await importedCount(running)) - before
      const seconds = (performance.now() - from) / 1000
      await told
      if (imported === 0) throw new Error('nothing was imported')
      return {
        ...sample,
        figures: { 'messages imported/s meanwhile': imported / seconds, 'messages imported': imported },
      }
    },
    rest: () => pause(SETTLE_MS),
    processes: () => running.processes(),
    async stop() {
      await (await world?.catch(() => undefined))?.stop()
    },
  })
  return [peer('no-history', false), peer('parley', true)]
}
