import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import type { Sender } from '../send/sending_peer.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import type { LoadTarget } from './load_host.ts'

/** A started API whose provider and whose customer's receiver are the load process. */
export type Reachable = Sender & Pick<LoadTarget, 'receiver_secret'>

/** A peer under an open loop. `serve` gets the port at which the provider and the receiver listen. */
export function latencyPeer(name: string, serve: (directory: string, port: number) => Promise<Reachable>): Peer {
  let load: Remote | undefined
  let api: Reachable | undefined
  return {
    name,
    async start(directory) {
      load = await startRemote('load', import.meta.url, './load_host.ts')
      api = await serve(directory, await load.call<number>('port'))
      const { port, token, webhook_path, receiver_secret } = api
      await load.call('target', { port, token, webhook_path, receiver_secret } satisfies LoadTarget)
    },
    run: (round: Load) => load!.call<Sample>('run', round),
    processes: () => ({ ...api!.processes, load: load!.child.pid }),
    async stop() {
      await load?.child.stop()
      await api?.stop()
    },
  }
}
