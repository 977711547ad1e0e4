import { type ActorKind, Node, type NodeOptions } from '../../../runtime/mod.ts'
import type { Database } from '../../../storage/mod.ts'
import type { Owner } from '../../support/mod.ts'

/** Starts a node that stops after the test. */
export async function startNode(
  t: Owner,
  { database, nats }: { database: Database; nats: { url: string; prefix: string; replicas?: number } },
  kinds: ActorKind[],
  options: Partial<NodeOptions> = {},
): Promise<Node> {
  const node = await Node.start({
    database,
    nats_url: nats.url,
    prefix: nats.prefix,
    replicas: nats.replicas,
    partitions: 4,
    kinds,
    ...options,
  })
  t.teardown(() => node.stop(1000))
  return node
}
