/**
 * Writes to every partition, again and again, through the given nodes. The probes measure how long each partition is
 * without service, and check that acknowledged writes are there.
 */
import { partitionOf } from '../../runtime/mod.ts'
import { type Json, sleep } from '../e2e/client.ts'
import { made, type Outside } from '../e2e/fixture.ts'
import { PARTITIONS } from './network_hosts.ts'

export type Probes = {
  /** Asks these nodes in turn from now on. */
  use(urls: string[]): void
  /** Stops asking until `use`. */
  pause(): Promise<void>
  /**
   * The longest time between two answered writes of one partition since the last call, in milliseconds, and that
   * partition.
   */
  worst(): { gap_ms: number; partition: number }
  /** The partitions whose record is neither the last acknowledged write nor the one under way. */
  lost(): Promise<string[]>
  stop(): Promise<void>
}

type Probe = {
  partition: number
  token: string
  webhook: string
  acknowledged: number
  answered_at: number
  gap: number
}

const EVERY_MS = 200
const PATIENCE_MS = 1000

/** Starts one probe in each partition: a project with a subscription whose name is a growing number. */
export async function startProbes(world: Outside): Promise<Probes> {
  const probes = await projects(world)
  let used: string[] = []
  let busy = 0
  let turn = 0
  let going = true
  async function probe(one: Probe): Promise<void> {
    for (let n = 1; going; ) {
      if (used.length === 0) {
        await sleep(20)
        continue
      }
      const began = Date.now()
      busy++
      const url = used[turn++ % used.length]
      const headers = { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/v1/webhooks/${one.webhook}`, {
        method: 'PATCH',
        // The probe repeats a write under one key until its answer, so the stored name is never older than the last
        // acknowledged one.
        headers: { ...headers, 'idempotency-key': `probe ${n}` },
        body: JSON.stringify({ name: `number ${n}` }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      busy--
      const now = Date.now()
      if (answer?.status === 200) {
        one.acknowledged = n++
        one.gap = Math.max(one.gap, now - one.answered_at)
        one.answered_at = now
      } else if (answer && answer.status !== 503) throw new Error(`a probe was answered ${answer.status}`)
      await sleep(Math.max(0, began + EVERY_MS - now))
    }
  }
  const running = Promise.all(probes.map(probe))
  running.catch(() => {})
  return {
    use(urls) {
      used = urls
    },
    async pause() {
      used = []
      while (busy > 0) await sleep(20)
    },
    worst() {
      const now = Date.now()
      let worst = { gap_ms: 0, partition: 0 }
      for (const one of probes) {
        const gap_ms = Math.max(one.gap, now - one.answered_at)
        if (gap_ms > worst.gap_ms) worst = { gap_ms, partition: one.partition }
        one.gap = 0
        one.answered_at = now
      }
      return worst
    },
    async lost() {
      const lost: string[] = []
      for (const one of probes) {
        const { partition, acknowledged: before } = one
        const answer = await world.http('GET', `${world.base_url}/v1/webhooks/${one.webhook}`, { token: one.token })
        const stored = Number(answer.body?.name.split(' ')[1])
        if (!(stored >= before && stored <= one.acknowledged + 1)) {
          lost.push(`partition ${partition}: ${before} acknowledged, ${stored} stored`)
        }
      }
      return lost
    },
    async stop() {
      going = false
      await running
    },
  }
}

async function projects(world: Outside): Promise<Probe[]> {
  const company_id = (await made(world.operator('POST', 'companies', { name: 'Probes' })))._id
  const permissions = ['developer.manage_tokens']
  const user = { company_id, full_name: 'Prober', email: 'prober@example.com', permissions }
  const user_id = (await made(world.operator('POST', 'users', user)))._id
  const found = new Map<number, Probe>()
  const limits = { minute: 1_000_000, hour: 1_000_000, day: 1_000_000 }
  while (found.size < PARTITIONS) {
    const project_id = (await made(world.operator('POST', 'projects', { company_id, name: 'Probe', limits })))._id
    const partition = partitionOf(`project/${project_id}`, PARTITIONS)
    if (found.has(partition)) continue
    const scopes = ['webhooks:manage', 'webhooks:read']
    const token = (await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'Probe', scopes }))).token
    const json: Json = { name: 'number 0', url: world.sink.url('probe'), events: ['whatsapp.message.failed'] }
    const webhook = await made(world.http('POST', `${world.base_url}/v1/webhooks`, { json, token }))
    found.set(partition, { partition, token, webhook: webhook.id, acknowledged: 0, answered_at: Date.now(), gap: 0 })
  }
  for (const one of found.values()) one.answered_at = Date.now()
  return [...found.values()]
}
