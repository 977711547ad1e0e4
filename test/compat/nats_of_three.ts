import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { STREAMS } from '../../runtime/messages/transport_streams.ts'
import { until } from '../runtime/support/wait.ts'
import { type Owner, privateNatsCluster } from '../support/mod.ts'

export type NatsOfThree = Awaited<ReturnType<typeof natsOfThree>>

/** Starts a NATS of three servers for this test alone. */
export async function natsOfThree(t: Owner) {
  const nats = await privateNatsCluster(t, 3)
  const manager: JetStreamManager = await jetstreamManager(await nats.connect(), { checkAPI: false, timeout: 2000 })
  const streamOf = (partition: number) => `${nats.prefix}-transport-${partition % STREAMS}`
  return {
    ...nats,
    /** Returns the configured number of copies of a partition's stream. */
    copies: async (partition: number) => (await manager.streams.info(streamOf(partition))).config.num_replicas,
    /** Returns the server that leads a partition's stream, as soon as both others follow it closely. */
    async leader(partition: number) {
      const name = await until(async () => {
        const info = await manager.streams.info(streamOf(partition)).catch(() => undefined)
        const followers = info?.cluster?.replicas ?? []
        return followers.length === 2 && followers.every(({ current }) => current) && info?.cluster?.leader
      }, 60_000)
      return nats.members.find((member) => member.name === name)!
    },
    /** Restarts one server after the other, each until it follows again. */
    async restartInTurn() {
      for (const { server } of nats.members) {
        await server.stop()
        await nats.start()
      }
    },
    async killAndWipeAll() {
      await nats.kill()
      for (const member of nats.members) member.wipe()
    },
  }
}
