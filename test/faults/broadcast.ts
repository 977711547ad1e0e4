/** One bulk send of 5000 recipients on a cluster of three nodes, which are killed one after the other. */
import { join } from 'node:path'
import { underKills } from '../e2e/broadcast_kills.ts'
import { made } from '../e2e/fixture.ts'
import type { Owner } from '../support/mod.ts'
import { between, chance } from './chance.ts'
import { NODES, startFleet } from './fleet.ts'

export type BroadcastRun = {
  recipients: number
  kills: number
  seed: number
  directory: string
  log(line: string): void
}

/** With thousands of callbacks in the provider's queue, and nodes that die under them, a proof may take long. */
const WAITS = { confirm_ms: 60_000, send_ms: 5000, webhook_ms: 2000 }

/** Runs the bulk send. Returns no finding when every promise was kept. */
export async function runBroadcast({ recipients, kills, seed, directory, log }: BroadcastRun): Promise<string[]> {
  const undos: (() => unknown)[] = []
  const owner: Owner = { teardown: (undo) => undos.push(undo) }
  const random = chance(seed)
  try {
    const { world, places, nodes, database } = await startFleet(owner, join(directory, 'broadcast'), WAITS)
    const { tenant } = places[between(random, 0, places.length - 1)]!
    const path = `channels/${tenant.number.channel_id}`
    return await underKills({
      tenant,
      database,
      recipients,
      kills,
      random,
      async kill() {
        const node = nodes[between(random, 0, NODES - 1)]!
        await node.end('SIGKILL')
        await node.start()
      },
      pace: (messages_per_second) => made(world.operator('PATCH', path, { messages_per_second })),
      log,
    })
  } finally {
    for (const undo of undos.reverse()) await Promise.resolve(undo()).catch(() => {})
  }
}
