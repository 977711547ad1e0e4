import type { Peer } from '../peer.ts'
import { startParley } from '../servers/parley.ts'
import { broadcastingPeer } from './broadcasting_peer.ts'
import { TEMPLATE } from './campaign.ts'
import { openSender } from './project.ts'

/** A Parley node with one number, which gets one request. */
export function parleyPeer(): Peer {
  return broadcastingPeer('parley', async (directory, provider) => {
    const node = await startParley(directory)
    const { api } = await openSender(node, provider.url)
    return {
      database_url: node.database_url,
      processes: { parley: node.child.pid },
      async send(recipients) {
        const body = { template_name: TEMPLATE.name, language: TEMPLATE.language, recipients }
        await api('POST', '/v1/messages/bulk', body)
      },
      stop: node.child.stop,
    }
  })
}
