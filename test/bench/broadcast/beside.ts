import { setTimeout as pause } from 'node:timers/promises'
import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { type Provider, startProvider } from '../send/provider.ts'
import type { Server } from '../servers/child.ts'
import { type Parley, startParley } from '../servers/parley.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import { RECIPIENTS, recipientsOf, TEMPLATE } from './campaign.ts'
import { openSender, type Sender } from './project.ts'

/** Messages a second of a number, as Meta limits it. */
export const PACE = 80
/** The names of the peers. */
export const BESIDE = ['parley', 'no-broadcast']
/** Scenarios of this variant broadcast as fast as the provider takes it, others at a number's pace. */
export const UNPACED = 'unpaced'

/** Scenarios of this variant have many projects that broadcast, each at a number's pace. */
export const MANY = 'many'
export const MANY_PROJECTS = 20
/** The share of its pace that the slowest of the projects kept. */
export const MIN_PACE = 'pace kept by the slowest project'

/** The unfinished broadcasts of a project at any time of a round; where many projects broadcast, each has one. */
const RUNNING = 2
/** Recipients of each where many projects broadcast: a number's pace for twenty seconds. */
const MANY_RECIPIENTS = 20 * PACE
const LOOK_MS = 250
const SETTLE_MS = 1_000

/** A node with a project that sends single messages, and the projects that broadcast, by variant. */
type World = {
  node: Parley
  load: Remote
  broadcasters: { paced: Sender[]; unpaced: Sender[]; many: Sender[] }
  processes(): Record<string, number>
  stop(): Promise<void>
}

async function startWorld(directory: string): Promise<World> {
  const started: Server[] = []
  const stop = async () => {
    for (const server of started.splice(0).reverse()) await server.stop()
  }
  try {
    const provider: Provider = await startProvider()
    started.push(provider)
    await provider.notify(null)
    const node = await startParley(directory)
    started.push(node.child)
    const load = await startRemote('single sends', import.meta.url, './single_host.ts', { simulator_url: provider.url })
    started.push(load.child)
    const single = await openSender(node, await load.call<string>('provider_url'))
    await load.call('target', { port: node.port, token: single.token })
    const broadcasters = {
      paced: [await openSender(node, provider.url, PACE)],
      unpaced: [await openSender(node, provider.url)],
      many: await Promise.all(Array.from({ length: MANY_PROJECTS }, () => openSender(node, provider.url, PACE))),
    }
    const processes = () => ({ parley: node.child.pid, provider: provider.pid, load: load.child.pid })
    return { node, load, broadcasters, processes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Feed = { sent(): Promise<number>; end(): Promise<void> }

/**
 * Keeps broadcasts running from the start to `end`, which cancels the rest. `sent` is the number of messages that went
 * out so far.
 */
async function keepBroadcasting({ api }: Sender, running = RUNNING, people = RECIPIENTS): Promise<Feed> {
  const ids: string[] = []
  const open = new Set<string>()
  let has_ended = false
  const fill = async () => {
    for (const id of open) if (!isOpen(await api('GET', `/v1/messages/bulk/${id}`))) open.delete(id)
    while (open.size < running && !has_ended) {
      const recipients = recipientsOf(people, ids.length)
      const body = { template_name: TEMPLATE.name, language: TEMPLATE.language, recipients }
      const { broadcast_id } = await api('POST', '/v1/messages/bulk', body)
      ids.push(broadcast_id)
      open.add(broadcast_id)
    }
  }
  await fill()
  const feeding = (async () => {
    while (!has_ended) {
      await pause(LOOK_MS)
      await fill()
    }
  })()
  // `end` waits for this promise. The handler is here so that an earlier failure does not count as unhandled.
  feeding.catch(() => {})
  return {
    async sent() {
      const all = await Promise.all(ids.map((id) => api('GET', `/v1/messages/bulk/${id}`)))
      return all.reduce((sum, { sent_count }) => sum + sent_count, 0)
    },
    async end() {
      has_ended = true
      await feeding
      for (const id of open) await cancel(api, id)
    },
  }
}

const isOpen = ({ status }: { status: string }) => status === 'queued' || status === 'sending'

/** Ends a broadcast, or finds it ended, and waits until none of its messages is under way. */
async function cancel(api: Sender['api'], id: string): Promise<void> {
  await api('POST', `/v1/messages/bulk/${id}/cancel`).catch(() => {})
  for (;;) {
    const broadcast = await api('GET', `/v1/messages/bulk/${id}`)
    if (!isOpen(broadcast) && broadcast.pending_count === 0) return
    await pause(LOOK_MS)
  }
}

/**
 * The same node twice: with broadcasts of another project during its rounds, and with none. The first broadcasts are
 * accepted before the round, because a number's pace allows one a minute. Broadcasts accepted within the round count.
 */
export function besidePeers(): Peer[] {
  let world: Promise<World> | undefined
  let running: World
  const peer = (name: string, broadcasts: boolean): Peer => ({
    name,
    async start(directory) {
      world ??= startWorld(directory)
      running = await world
    },
    async run(round: Load) {
      const { load, broadcasters } = running
      if (!broadcasts) return load.call<Sample>('run', round)
      const { variant = 'paced' } = round
      const senders = broadcasters[variant as keyof typeof broadcasters]
      const size: [number?, number?] = variant === MANY ? [1, MANY_RECIPIENTS] : []
      const feeds = await Promise.all(senders.map((sender) => keepBroadcasting(sender, ...size)))
      const counts = () => Promise.all(feeds.map((feed) => feed.sent()))
      try {
        const [before, from] = [await counts(), performance.now()]
        const sample = await load.call<Sample>('run', round)
        const after = await counts()
        const seconds = (performance.now() - from) / 1000
        const rates = after.map((count, index) => (count - before[index]!) / seconds)
        const sum = rates.reduce((sum, rate) => sum + rate, 0)
        if (sum === 0) throw new Error('nothing was broadcast')
        const figures: Record<string, number> = { 'broadcast messages/s meanwhile': sum }
        if (variant === MANY) figures[MIN_PACE] = Math.min(...rates) / PACE
        return { ...sample, figures }
      } finally {
        await Promise.all(feeds.map((feed) => feed.end()))
      }
    },
    rest: () => pause(SETTLE_MS),
    processes: () => running.processes(),
    async stop() {
      await (await world?.catch(() => undefined))?.stop()
    },
  })
  return BESIDE.map((name, place) => peer(name, place === 0))
}
