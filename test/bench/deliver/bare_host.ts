/** The floor: the same POST from memory, at most eight at once to a receiver, and nothing stored anywhere. */
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'
import { poster } from './poster.ts'
import { CONCURRENCY } from './shape.ts'

let port: number
let delivered = 0
let last = 0

offer({
  async start({ sink_port }: { sink_port: number }) {
    const post = poster(sink_port)
    const running = new Map<string, number>()
    const waiting = new Map<string, (() => void)[]>()
    const begin = (key: string) => {
      const count = running.get(key) ?? 0
      if (count < CONCURRENCY) {
        running.set(key, count + 1)
        return
      }
      return new Promise<void>((resolve) => {
        const queue = waiting.get(key)
        if (queue) queue.push(resolve)
        else waiting.set(key, [resolve])
      })
    }
    const end = (key: string) => {
      const next = waiting.get(key)?.shift()
      if (next) next()
      else running.set(key, running.get(key)! - 1)
    }
    port = await lineServer(async (key, payload) => {
      await begin(key)
      try {
        const job = { id: String(++last), key, created_at: new Date().toISOString(), data: JSON.parse(payload) }
        const { status } = await post(job)
        if (status !== 200) throw new Error(`the sink said ${status}`)
        delivered++
      } finally {
        end(key)
      }
    })
  },
  port: () => port,
  stored: () => delivered,
})
