/** Our node: each operation is a durable `tell` to the key's counter and ends with the commit of its turn. */
import { Node } from '../../../runtime/mod.ts'
import { type Database, migrate, openDatabase } from '../../../storage/mod.ts'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'
import { counterKind } from './counter.ts'

let database: Database
let port: number

offer({
  async start({ database_url, nats_url }: { database_url: string; nats_url: string }) {
    database = await openDatabase({ url: database_url })
    await migrate(database)
    const waiting = new Map<number, () => void>()
    const counter = counterKind((id) => {
      waiting.get(id)?.()
      waiting.delete(id)
    })
    const node = await Node.start({ database, nats_url, kinds: [counter] })
    let last = 0
    port = await lineServer(async (key, payload) => {
      const id = ++last
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(id, resolve)
      await node.tell(counter.address(key), { type: 'add', id, event: JSON.parse(payload) })
      await promise
    })
  },
  port: () => port,
  async stored() {
    const sum = `select coalesce(sum((state->>'count')::bigint), 0)::text as sum from actor_state where address like 'counter/%'`
    return Number((await database.execute<{ sum: string }>(sum))[0]?.sum)
  },
})
