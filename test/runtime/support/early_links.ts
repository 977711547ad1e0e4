import type { Test } from 'tap'
import type { ActorKind, Node, NodeOptions } from '../../../runtime/mod.ts'
import { testDatabase, testNats } from '../../support/mod.ts'
import { heldCommits } from './held_commits.ts'
import { keyIn } from './key_in.ts'
import { linkKind, upTo } from './links.ts'
import { startNode } from './start_node.ts'
import { until } from './wait.ts'

export const early = { pass: [] }
/** Links whose messages go early. */
export const link = linkKind('link', undefined, { early })
/** The address of a link in a partition. */
export const at = (partition: number, name = 'x') => link.address(keyIn('link', name, partition))

/** Starts a node whose lane all of these links know already: a first message came to each by the usual way. */
export async function startLinks(t: Test, kinds: ActorKind[] = [link], options: Partial<NodeOptions> = {}) {
  const { database, url } = await testDatabase(t)
  const held = heldCommits(database)
  const nats = await testNats(t)
  const node = await startNode(t, { database: held.database, nats }, kinds, options)
  const warm = at(3, 'warm')
  for (const partition of upTo(4)) {
    await node.ask(warm, { type: 'next', path: [at(partition % 4, 'known')] })
    await check(t, node, at(partition % 4, 'known'), warm, [partition])
  }
  held.commits.length = 0
  const before = node.stats()
  const counted = () => {
    const { scheduler, lane } = node.stats()
    return {
      early: scheduler.early - before.scheduler.early,
      fused: lane.fused - before.lane.fused,
      retracted: lane.retracted - before.lane.retracted,
    }
  }
  return { ...held, url, nats, node, counted }
}

/** Checks that a link has seen these numbers of a head, in this order. */
export async function check(
  t: Test,
  node: Node,
  receiver: ReturnType<typeof at>,
  sender: string,
  numbers: number[],
): Promise<void> {
  const seen = async () => (await node.ask(receiver, { type: 'seen' }))[sender] ?? []
  await until(async () => (await seen()).length >= numbers.length)
  t.strictSame(await seen(), numbers)
}
