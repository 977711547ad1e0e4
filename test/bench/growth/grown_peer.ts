import type { Load, Sample as Measured } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { openProject, type Parley, startParley } from '../servers/parley.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import { seedProject } from './seed.ts'

export function nameOf(count: number): string {
  return `${count.toLocaleString('en-GB')} rows`
}

const SCOPES = [
  'crm:events:write',
  'crm:events:read',
  'crm:tickets:write',
  'crm:customers:read',
  'webhooks:manage',
  'webhooks:read',
]

/** A node of its own with one project of `count` records of each kind. */
export function grownPeer(count: number): Peer {
  let node: Parley | undefined
  let load: Remote | undefined
  return {
    name: nameOf(count),
    async start(directory) {
      node = await startParley(directory)
      const project = await openProject(node, SCOPES)
      const sample = await seedProject(node, project, count)
      load = await startRemote('load', import.meta.url, './load_host.ts', {
        port: node.port,
        token: project.token,
        sample,
      })
    },
    run: (round: Load) => load!.call<Measured>('run', round),
    processes: () => ({ parley: node!.child.pid, load: load!.child.pid }),
    async stop() {
      await load?.child.stop()
      await node?.child.stop()
    },
  }
}
