/** Our node with all receivers. A line makes an event, and is answered when the event is committed. */

import { type DeliveringNode, type Places, startDeliveringNode } from '../deliver/delivering_node.ts'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'
import { storeBacklog } from './backlog.ts'
import { BACKLOGGED, urlOf } from './shape.ts'

let node: DeliveringNode
let port: number

offer({
  async start({ sink_port, ...places }: Places & { sink_port: number }) {
    const receivers = Array.from({ length: BACKLOGGED + 1 }, (_, key) => ({ key, url: urlOf(key, sink_port) }))
    node = await startDeliveringNode({ ...places, receivers })
    port = await lineServer((key, payload) => node.happen(Number(key), JSON.parse(payload)))
  },
  port: () => port,
  backlog: (count: number) => storeBacklog(node, BACKLOGGED, count),
  /** Returns the resident memory after everything that can be freed was freed. */
  memory() {
    globalThis.gc?.()
    return process.memoryUsage.rss() / 1024 / 1024
  },
})
