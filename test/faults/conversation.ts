/** A conversation of a visitor and two agents on two of three nodes, which are killed, and whose networks are cut. */
import { join } from 'node:path'
import { type ConversationResult, holdConversation } from '../e2e/conversation_trouble.ts'
import type { Owner } from '../support/mod.ts'
import { chance } from './chance.ts'
import { startFleet } from './fleet.ts'

export type ConversationRun = { rounds: number; seed: number; directory: string; log(line: string): void }

/** Holds the conversation. Returns no finding when each page has what is stored. */
export async function runConversation({ rounds, seed, directory, log }: ConversationRun): Promise<ConversationResult> {
  const undos: (() => unknown)[] = []
  const t: Owner = { teardown: (undo) => undos.push(undo) }
  try {
    const { world, places, nodes, balancer } = await startFleet(t, join(directory, 'conversation'))
    balancer.careless = false
    const killable = nodes.slice(0, 2).map((node) => ({
      base_url: node.base_url,
      async kill() {
        await node.end('SIGKILL')
        await node.start()
      },
    }))
    const { tenant } = places[0]!
    return await holdConversation({ t, world, tenant, nodes: killable, random: chance(seed), rounds, log })
  } finally {
    for (const undo of undos.reverse()) await Promise.resolve(undo()).catch(() => {})
  }
}
