import pg from 'pg'
import type { Load } from '../load/loop.ts'
import { startLoad } from '../load/target.ts'
import type { Peer } from '../peer.ts'
import type { Remote } from '../servers/remote.ts'
import { type Provider, startProvider } from './provider.ts'
import { sendUntilStored } from './send_until_stored.ts'

/** A started API: its port and database, the path for provider webhooks, its processes, and the way to stop it. */
export type Sender = {
  port: number
  token: string
  webhook_path: string
  database_url: string
  processes: Record<string, number>
  stop(): Promise<void>
}

/** Scenarios with this variant wait for the provider's `delivered` callback to be stored, others for `sent`. */
export const CALLBACKS = 'callbacks'

const MESSAGE = {
  channel: 'whatsapp',
  to: '+49170{n}',
  message: {
    type: 'text',
    body: 'Your order A-{n} left our warehouse this morning and arrives tomorrow between 9 and 12. Reply STOP to opt out.',
  },
  meta_data: { order: 'A-{n}', campaign: 'autumn' },
}

/**
 * A peer that takes POST /v1/messages. A round posts in a closed loop and then waits until every accepted message has
 * its final status in the table `message`. The throughput counts to that moment; p50 and p99 are those of the 202.
 */
export function sendingPeer(name: string, serve: (directory: string, provider: Provider) => Promise<Sender>): Peer {
  let provider: Provider | undefined
  let sender: Sender | undefined
  let load: Remote | undefined
  let database: pg.Client | undefined
  return {
    name,
    async start(directory) {
      provider = await startProvider()
      sender = await serve(directory, provider)
      database = new pg.Client({ connectionString: sender.database_url })
      database.on('error', () => {})
      await database.connect()
      load = await startLoad({
        protocol: 'http',
        port: sender.port,
        method: 'POST',
        path: '/v1/messages',
        headers: { Authorization: `Bearer ${sender.token}` },
        body: MESSAGE,
        connections: 512,
      })
    },
    async run(round: Load) {
      const callbacks = round.variant === CALLBACKS
      await provider!.notify(callbacks ? `http://127.0.0.1:${sender!.port}${sender!.webhook_path}` : null)
      return sendUntilStored(database!, load!, round, [callbacks ? 'delivered' : 'sent'])
    },
    processes: () => ({ ...sender!.processes, provider: provider!.pid, load: load!.child.pid }),
    async stop() {
      await load?.child.stop()
      await database?.end()
      await sender?.stop()
      await provider?.stop()
    },
  }
}
