/** The ports of a node in a real cluster: PostgreSQL, and one connection to NATS for all messages. */
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { NatsBus } from '../broker/bus.ts'
import { PostgresStore } from '../commit/postgres_store.ts'
import { Live } from '../live/live.ts'
import { JetStreamTransport } from '../messages/jetstream_transport.ts'
import { forgetFutureTries, natsOptions } from '../servers/nats_options.ts'
import { waitForServers } from '../servers/wait_for_servers.ts'
import { within } from '../time/time_limit.ts'
import type { NodePorts, NodeSettings } from './node_options.ts'

/** Pause between two attempts to reconnect to the broker; up to half of it is added at random. */
const RECONNECT_MS = 200
/** Timeout for requests about the stream of live events: a broker that is electing a leader must not delay a start. */
const LIVE_MS = 1000

type ConnectedPorts = NodePorts & { announcer: Live }

/** Waits for NATS. `members` returns the nodes that hold leases; it is called whenever they are needed. */
export async function connectPorts(
  id: string,
  settings: NodeSettings,
  members: () => string[],
): Promise<ConnectedPorts> {
  const { database, cluster, prefix, replicas, clock, log } = settings
  const nats = await connectBroker(id, settings)
  const transport = new JetStreamTransport(nats, { prefix, replicas, log })
  const live = new Live({
    nats,
    prefix,
    replicas,
    bus: new NatsBus(nats, prefix, clock),
    node: id,
    clock,
    log,
    members,
    alone: !cluster || cluster.alone === true,
  })
  try {
    await transport.start()
    await within(LIVE_MS, live.start())
  } catch (error) {
    await within(1000, nats.close())
    throw error
  }
  return { store: new PostgresStore(database), broker: nats, transport, announcer: live }
}

async function connectBroker(id: string, { nats_url, clock, log, given_up }: NodeSettings): Promise<NatsConnection> {
  let connection: NatsConnection | undefined
  const options = {
    ...natsOptions(nats_url),
    name: `parley ${id}`,
    maxReconnectAttempts: -1,
    // Called before each attempt to reconnect.
    reconnectDelayHandler: () => {
      if (connection) forgetFutureTries(connection, clock.wall())
      return RECONNECT_MS * (1 + Math.random() / 2)
    },
    pingInterval: 5000,
    maxPingOut: 2,
    ignoreClusterUpdates: false,
    noAsyncTraces: true,
  }
  connection = await waitForServers('the NATS of NATS_URL', () => connect(options), log, given_up)
  return connection
}
