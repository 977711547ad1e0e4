/** The cluster as one of its nodes sees it. */
import { type Cluster, type ClusterNode, type ClusterStatus, readOwners, readPartitions } from '../cluster/cluster.ts'
import type { NodePorts, NodeSettings } from './node_options.ts'
import type { Ownership } from './ownership.ts'

const DRAIN_MS = 2000

export class ClusterView implements Cluster {
  readonly #settings: NodeSettings
  readonly #ports: NodePorts
  readonly #ownership: Ownership

  constructor(settings: NodeSettings, ports: NodePorts, ownership: Ownership) {
    this.#settings = settings
    this.#ports = ports
    this.#ownership = ownership
  }

  async status(): Promise<ClusterStatus> {
    await this.#ownership.coordination?.membership.read()
    const partitions = await readPartitions(this.#settings.database)
    return { nodes: this.#nodes(partitions.map(({ owner }) => owner)), partitions }
  }

  async nodes(): Promise<{ nodes: ClusterNode[]; owners: (string | null)[] }> {
    await this.#ownership.coordination?.membership.read()
    const owners = await readOwners(this.#settings.database)
    return { nodes: this.#nodes(owners), owners }
  }

  #nodes(owners: (string | null)[]): ClusterNode[] {
    const membership = this.#ownership.coordination?.membership
    const counts = new Map<string | null, number>()
    for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    return this.#ownership.members().map(({ broker, ...facts }) => ({
      ...facts,
      is_connected: !membership?.isApart(facts.id),
      partitions: counts.get(facts.id) ?? 0,
    }))
  }

  async drain(node: string): Promise<boolean> {
    if (!/^[0-9a-f]{12}$/.test(node)) return false
    const subject = `${this.#settings.prefix}.node.drain.${node}`
    return this.#ports.broker.request(subject, '', { timeout: DRAIN_MS }).then(
      () => true,
      () => false,
    )
  }
}
