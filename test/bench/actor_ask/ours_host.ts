/** One of our two nodes. The caller also runs the load, because a process between would cost more than the question. */
import { setTimeout as pause } from 'node:timers/promises'
import { Node } from '../../../runtime/mod.ts'
import { type Database, migrate, openDatabase } from '../../../storage/mod.ts'
import { type Issue, type Load, runLoad } from '../load/loop.ts'
import { payloadOf } from '../load/target.ts'
import { offer } from '../servers/remote.ts'
import { keeper } from './asks.ts'

const KEYS = 64

let database: Database
let node: Node
let addresses: { local: ReturnType<typeof keeper.address>[]; remote: ReturnType<typeof keeper.address>[] }

offer({
  async start({ database_url, nats_url }: { database_url: string; nats_url: string }) {
    database = await openDatabase({ url: database_url })
    await migrate(database)
    node = await Node.start({ database, nats_url, kinds: [keeper], cluster: {} })
  },
  /** Waits until the other node has its half, and finds actors on both sides. */
  async share() {
    let owners: (string | null)[] = []
    for (;;) {
      owners = (await node.status()).partitions.map(({ owner }) => owner)
      const own = owners.filter((owner) => owner === node.id).length
      if (own === owners.length / 2 && !owners.includes(null)) break
      await pause(50)
    }
    const all = Array.from({ length: 4096 }, (_, key) => keeper.address(String(key)))
    const isLocal = (address: string) => owners[node.partitionOf(address)] === node.id
    addresses = {
      local: all.filter(isLocal).slice(0, KEYS),
      remote: all.filter((address) => !isLocal(address)).slice(0, KEYS),
    }
  },
  run: (load: Load) => runLoad(issueOf(load.variant!), load),
})

/** Tries a peek on this node as the HTTP server does, with an answer at once. */
function issueOf(variant: string): Issue {
  const [place, type] = variant.split(' ') as ['local' | 'remote', 'peek' | 'turn' | 'commit']
  const event = payloadOf(0)
  const asked = addresses[place]
  if (variant === 'local peek') {
    return (key, done) => {
      const reply = node.tryAsk(asked[key]!, { type, event }) ?? node.ask(asked[key]!, { type, event })
      if (reply instanceof Promise) answered(reply, done)
      else setImmediate(done, reply.type === event.type)
    }
  }
  return (key, done) => answered(node.ask(asked[key]!, { type, event }), done)
}

function answered(reply: Promise<Record<string, unknown>>, done: (ok: boolean) => void): void {
  reply.then(
    ({ message_id }) => done(message_id !== undefined),
    (error) => {
      console.error(error)
      done(false)
    },
  )
}
