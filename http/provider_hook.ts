/** Calls of providers' webhooks, brought to the project that owns the channel. */
import { challengeAnswer, type ProjectProtocol } from '../actors/mod.ts'
import type { Address, Runtime } from '../runtime/mod.ts'
import { Channel, type Database } from '../storage/mod.ts'
import type { RawAnswer } from './route.ts'
import type { ProviderHook } from './routes/providers.ts'

const plain = (status: number, body: string): RawAnswer => ({ status, body, content_type: 'text/plain' })
const KNOWN = 10_000

export function providerHook(runtime: Runtime, database: Database): ProviderHook {
  /** Whose channel it is never changes. */
  const projects = new Map<string, string>()

  async function projectOf(channel_id: string): Promise<string | undefined> {
    const known = projects.get(channel_id)
    if (known) return known
    const row = await database.em().findOne(Channel, { _id: channel_id }, { fields: ['project_id'] })
    if (!row) return undefined
    if (projects.size >= KNOWN) projects.clear()
    projects.set(channel_id, row.project_id)
    return row.project_id
  }

  /** Meta asks once, when an operator enters the address: `hub.verify_token` must be the channel's. */
  async function verify(channel_id: string, query: string): Promise<RawAnswer> {
    const row = await database.em().findOne(Channel, { _id: channel_id, channel_type: 'whatsapp' })
    if (!row?.credentials) return plain(404, 'no such channel')
    const { verify_token } = JSON.parse(database.vault.open(row._id, 'credentials', row.credentials))
    const challenge = challengeAnswer(new URLSearchParams(query), verify_token)
    return challenge === undefined ? plain(403, 'the verify token does not match') : plain(200, challenge)
  }

  return async (channel_id, { method, headers, query, raw }) => {
    if (method === 'GET') return verify(channel_id, query)
    const project_id = await projectOf(channel_id)
    if (!project_id) return plain(404, 'no such channel')
    const address: Address<ProjectProtocol> = `project/${project_id}`
    const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8')
    const signature = headers['x-hub-signature-256'] ?? null
    // What it brings carries the provider's ids: the second time changes nothing.
    const repeatable = { repeatable: true }
    const answer = await runtime.ask(address, { type: 'inbound', channel_id, raw: text, signature }, repeatable)
    return plain(answer.status, answer.body)
  }
}
