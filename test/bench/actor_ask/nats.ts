import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import type { Server } from '../servers/child.ts'
import { startNats } from '../servers/nats.ts'
import { type Remote, startRemote } from '../servers/remote.ts'

/** The floor of a question to another node: the same bytes there and back as a bare request of NATS.js. */
export function natsPeer(): Peer {
  let server: Server | undefined
  let caller: Remote | undefined
  let responder: Remote | undefined
  return {
    name: 'nats',
    async start(directory) {
      const nats = await startNats(directory, 'default')
      server = nats.server
      responder = await startRemote('responder', import.meta.url, './nats_responder_host.ts', nats.url)
      caller = await startRemote('caller', import.meta.url, './nats_caller_host.ts', nats.url)
    },
    run: (load: Load) => caller!.call<Sample>('run', load),
    processes: () => ({ caller: caller!.child.pid, responder: responder!.child.pid, nats: server!.pid }),
    async stop() {
      await caller?.child.stop()
      await responder?.child.stop()
      await server?.stop()
    },
  }
}
