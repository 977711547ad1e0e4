import { fileURLToPath } from 'node:url'
import type { Load, Sample } from '../load/loop.ts'
import { startLoad } from '../load/target.ts'
import type { Peer } from '../peer.ts'
import { type Remote, startRemote } from '../servers/remote.ts'

/** A started server: its processes by role, its port, and the way to stop it. */
export type HttpServer = { port: number; processes: Record<string, number>; stop(): Promise<void> }

/**
 * A peer that answers GET `path`. wrk runs closed loops; the load process, which knows the intended times, runs open
 * loops.
 */
export function httpPeer(
  name: string,
  path: string,
  headers: () => Record<string, string>,
  serve: (directory: string) => Promise<HttpServer>,
): Peer {
  let server: HttpServer | undefined
  let wrk: Remote | undefined
  let open: Remote | undefined
  return {
    name,
    async start(directory) {
      server = await serve(directory)
      const { port } = server
      const load = fileURLToPath(new URL('../load/', import.meta.url))
      const url = `http://127.0.0.1:${port}${path}`
      wrk = await startRemote('wrk', `file://${load}`, './wrk.ts', { url, headers: headers() })
      open = await startLoad({ protocol: 'http', port, method: 'GET', path, headers: headers(), connections: 64 })
    },
    run: (load: Load) => (load.rate === undefined ? wrk! : open!).call<Sample>('run', load),
    processes: () => ({ ...server!.processes, wrk: wrk!.child.pid, load: open!.child.pid }),
    async stop() {
      await open?.child.stop()
      await wrk?.child.stop()
      await server?.stop()
    },
  }
}
