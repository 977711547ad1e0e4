/** The load process: one kind of request at a time, for the sampled records in turn. */
import { httpClient } from '../load/http_client.ts'
import { type Issue, type Load, runLoad } from '../load/loop.ts'
import { offer } from '../servers/remote.ts'
import { type Operation, operations } from './operations.ts'
import type { Sample } from './seed.ts'

type Config = { port: number; token: string; sample: Sample }

let config: Config
let serial = 1
const clients = new Map<string, Issue>()

function clientOf({ method, path, body, of }: Operation): Issue {
  const { port, token, sample } = config
  const ids = of === 'subscription' ? [sample.subscription_id] : sample[of]
  const fill = (text: string, at: number) => text.replaceAll('{id}', ids[at]!).replaceAll('{n}', String(serial))
  const requests = {
    port,
    method,
    path: (at: number) => fill(path, at),
    headers: { Authorization: `Bearer ${token}` },
  }
  const template = body && JSON.stringify(body)
  const send = httpClient(template ? { ...requests, body: (at) => fill(template, at) } : requests, 64)
  return (_key, done) => send(serial++ % ids.length, done)
}

offer({
  start(given: Config) {
    config = given
  },
  run({ variant = '', ...load }: Load) {
    const client = clients.get(variant) ?? clientOf(operations[variant]!)
    clients.set(variant, client)
    return runLoad(client, load)
  },
})
