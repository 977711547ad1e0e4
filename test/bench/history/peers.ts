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

type Progress = { message_count: number; waiting_count: number }

async function progressOf({ node, sender }: World): Promise<Progress> {
  const url = `http://127.0.0.1:${node.port}/admin/v1/channels/${sender.channel_id}/history`
  const response = await fetch(url, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } })
  return response.ok ? ((await response.json()) as Progress) : { message_count: 0, waiting_count: 0 }
}

async function tellHistory({ provider }: World): Promise<void> {
  const response = await fetch(`${provider.url}/_control/history`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ people: PEOPLE, messages: HISTORY }),
  })
  if (!response.ok) throw new Error(`the simulator refused the history: ${await response.text()}`)
}

/** The same node twice: without a history, and while one is imported. The next one is told when nothing of it waits. */
export function historyPeers(): Peer[] {
  let world: Promise<World> | undefined
  let running: World
  let telling: Promise<void> | undefined
  const peer = (name: string, tells: boolean): Peer => ({
    name,
    async start(directory) {
      world ??= startWorld(directory)
      running = await world
    },
    async run(round: Load) {
      if (!tells) return running.load.call<Sample>('run', round)
      const before = await progressOf(running)
      const from = performance.now()
      if (!telling && before.waiting_count === 0) {
        telling = tellHistory(running).finally(() => {
          telling = undefined
        })
        // A failure shows in the figures. The handler is here so that it does not count as unhandled.
        telling.catch(() => {})
      }
      const sample = await running.load.call<Sample>('run', round)
      const imported = (await progressOf(running)).message_count - before.message_count
      const seconds = (performance.now() - from) / 1000
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
