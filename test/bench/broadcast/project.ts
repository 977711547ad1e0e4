import { setTimeout as pause } from 'node:timers/promises'
import { CREDENTIALS } from '../send/provider.ts'
import { openProject, type Parley } from '../servers/parley.ts'
import { TEMPLATE } from './campaign.ts'

/** A project with one WhatsApp number that knows the template. */
export type Sender = {
  project_id: string
  token: string
  channel_id: string
  /** Calls the API. Throws for an answer other than 2xx. */
  api(method: string, path: string, body?: unknown): Promise<Json>
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every route
type Json = any

const SCOPES = ['messages:write', 'messages:read', 'messages:bulk']
const PATIENCE_MS = 30_000

/**
 * Opens a project. `pace` is the number of messages that the number may send a second; without it the provider takes
 * everything.
 */
export async function openSender(node: Parley, provider_url: string, pace?: number): Promise<Sender> {
  const { project_id, token } = await openProject(node, SCOPES)
  const api = apiOf(node.port, token)
  const channel = await node.admin('POST', '/channels', {
    project_id,
    channel_type: 'whatsapp',
    name: 'Benchmarks',
    provider: 'simulator',
    messages_per_second: pace ?? null,
    credentials: { ...CREDENTIALS, api_base_url: provider_url },
  })
  for (const end = performance.now() + PATIENCE_MS; ; await pause(50)) {
    const { data } = await api('GET', `/v1/messages/templates?name=${TEMPLATE.name}&language=${TEMPLATE.language}`)
    if (data.length > 0) break
    if (performance.now() > end) throw new Error('the templates of the number never came')
  }
  return { project_id, token, channel_id: String(channel._id), api }
}

function apiOf(port: number, token: string): Sender['api'] {
  return async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
}
