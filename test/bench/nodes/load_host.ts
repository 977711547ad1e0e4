/** The load process: callers of all nodes in turn, each operation for another project. */
import { httpClient } from '../load/http_client.ts'
import { type Issue, type Load, runLoad } from '../load/loop.ts'
import { offer } from '../servers/remote.ts'
import { INGEST, MESSAGE, type Tenant } from './shape.ts'

export type LoadConfig = { ports: number[]; tenants: Tenant[]; event: { event_type: string; data: unknown } }

const CONNECTIONS = 256

let config: LoadConfig
let serial = 1_000_000

function requestsOf(ingest: boolean) {
  const { tenants, event } = config
  const tenantOf = (n: number) => tenants[n % tenants.length]!
  const headers = (n: number) => ({ Authorization: `Bearer ${tenantOf(n).token}` })
  const body = (n: number) =>
    ingest
      ? JSON.stringify({ ...event, chat_user_id: tenantOf(n).chat_user_id })
      : JSON.stringify(MESSAGE).replaceAll('{n}', String(serial++))
  return { method: 'POST', path: () => (ingest ? '/v1/crm/events' : '/v1/messages'), headers, body }
}

/** Goes through the nodes in turn, and through the projects with every round of the nodes. */
function issueOf(ingest: boolean): Issue {
  const { ports } = config
  const clients = ports.map((port) => httpClient({ port, ...requestsOf(ingest) }, CONNECTIONS))
  let next = 0
  return (_key, done) => {
    const n = next++
    clients[n % ports.length]!(Math.floor(n / ports.length), done)
  }
}

const issues = new Map<boolean, Issue>()

offer({
  start(given: LoadConfig) {
    config = given
  },
  run(load: Load) {
    const ingest = load.variant === INGEST
    const issue = issues.get(ingest) ?? issueOf(ingest)
    issues.set(ingest, issue)
    return runLoad(issue, load)
  },
})
