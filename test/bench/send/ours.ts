import type { Peer } from '../peer.ts'
import { collectorUrl } from '../servers/collector.ts'
import { openProject, type Parley, startParley } from '../servers/parley.ts'
import { CREDENTIALS } from './provider.ts'
import { type Sender, sendingPeer } from './sending_peer.ts'

/** A Parley node with one WhatsApp channel that reaches the simulator. `started` gets the address of its database. */
export function parleyPeer(started: (database_url: string) => void = () => {}): Peer {
  return sendingPeer('parley', async (directory, provider) => {
    const node = await startParley(directory)
    started(node.database_url)
    return openSender(node, provider.url)
  })
}

/** The same with traces of one request in a hundred, for their cost. */
export function tracingPeer(): Peer {
  return sendingPeer('traces', async (directory, provider) => {
    const node = await startParley(directory, { PARLEY_TRACES_URL: await collectorUrl() })
    return openSender(node, provider.url)
  })
}

/** Makes a project of the node with a WhatsApp channel whose provider is at `provider_url`. */
export async function openSender(node: Parley, provider_url: string): Promise<Sender> {
  const { project_id, token } = await openProject(node, ['messages:write', 'messages:read', 'webhooks:manage'])
  const channel = await node.admin('POST', '/channels', {
    project_id,
    channel_type: 'whatsapp',
    name: 'Benchmarks',
    // The simulator has no pace of a real number.
    provider: 'simulator',
    credentials: { ...CREDENTIALS, api_base_url: provider_url },
  })
  return {
    port: node.port,
    token,
    webhook_path: `/providers/whatsapp/${channel._id}`,
    database_url: node.database_url,
    processes: { parley: node.child.pid },
    stop: node.child.stop,
  }
}
