/** The load process: events of all people in turn, for one hot project or many. */
import { httpClient } from '../load/http_client.ts'
import { type Load, runLoad } from '../load/loop.ts'
import { offer } from '../servers/remote.ts'
import { dataOf, EVENT_TYPE, MANY_PROJECTS, type Person, WITH_KEY } from './shape.ts'

export type LoadConfig = { port: number; hot: Person[]; many: Person[]; connections: number }

let config: LoadConfig
let serial = 1_000_000

/** The start of a body for each person. The rest differs by a number alone. */
function clientOf(people: Person[], with_key: boolean) {
  const events = people.map(
    ({ chat_user_id }) => `{"event_type":"${EVENT_TYPE}","chat_user_id":"${chat_user_id}","data":`,
  )
  const data = JSON.stringify(dataOf(1234567))
  const body = (person: number) => {
    const n = String(serial++)
    const key = with_key ? `,"idempotency_key":"${process.pid} order ${n}"` : ''
    return `${events[person]}${data.replaceAll('1234567', n)}${key}}`
  }
  const headers = people.map(({ token }) => ({ Authorization: `Bearer ${token}` }))
  const { port, connections } = config
  const requests = { port, method: 'POST', path: () => '/v1/crm/events', headers: (n: number) => headers[n]!, body }
  const issue = httpClient(requests, connections)
  let next = 0
  // A slot of a closed loop keeps its key. Here each operation takes the next person.
  return (_key: number, done: (ok: boolean) => void) => issue(next++ % people.length, done)
}

const clients = new Map<string, ReturnType<typeof clientOf>>()

offer({
  start(given: LoadConfig) {
    config = given
  },
  run({ variant = '', ...load }: Load) {
    const words = variant.split(' ')
    const [many, with_key] = [words.includes(MANY_PROJECTS), words.includes(WITH_KEY)]
    const name = `${many} ${with_key}`
    const client = clients.get(name) ?? clientOf(many ? config.many : config.hot, with_key)
    clients.set(name, client)
    return runLoad(client, load)
  },
})
