import type { Load, Sample } from '../load/loop.ts'
import { payloadOf, startLoad } from '../load/target.ts'
import type { Peer } from '../peer.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import { type Restate, registerDeployment, startRestate } from '../servers/restate.ts'

/** Restate's virtual objects, called over its HTTP ingress with one keep-alive connection per operation in flight. */
export function restatePeer(connections: number): Peer {
  let server: Restate | undefined
  let host: Remote | undefined
  let load: Remote | undefined
  let keys = 0
  return {
    name: 'restate',
    async start(directory) {
      server = await startRestate(directory)
      host = await startRemote('restate service', import.meta.url, './restate_host.ts')
      await registerDeployment(server, await host.call<number>('port'))
      load = await startLoad({
        protocol: 'http',
        port: server.ingress_port,
        method: 'POST',
        path: '/counter/{key}/add',
        headers: {},
        body: payloadOf(0),
        connections,
      })
    },
    run(round: Load) {
      keys = Math.max(keys, round.keys)
      return load!.call<Sample>('run', round)
    },
    async stored() {
      const counts = Array.from({ length: keys }, async (_, key) => {
        const url = `http://127.0.0.1:${server!.ingress_port}/counter/${key}/count`
        return Number(await (await fetch(url, { method: 'POST' })).text())
      })
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    },
    processes: () => ({ restate: server!.child.pid, host: host!.child.pid, load: load!.child.pid }),
    async stop() {
      await load?.child.stop()
      await host?.child.stop()
      await server?.child.stop()
    },
  }
}
