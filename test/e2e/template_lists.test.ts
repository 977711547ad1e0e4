/** Changes of templates while the provider's list is on its way: the list is older than they are. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const SECRET = 'a-secret-of-sixteen'

/** The part of the Graph API that concerns templates. Its lists are of the moment when they are asked for. */
async function startGraph() {
  const templates = new Map<string, Json>()
  const gates: (() => void)[] = []
  const state = { holds: false, lists: 0 }
  let ids = 0
  const act = (method: string, { pathname, searchParams }: URL, body: Json): Json | undefined => {
    const node = pathname.split('/').at(-1)!
    if (node === 'message_templates' && method === 'POST') {
      const id = `${++ids}`
      templates.set(id, {
        id,
        status: 'PENDING',
        quality_score: { score: 'UNKNOWN' },
        rejected_reason: 'NONE',
        ...body,
      })
      return { id, status: 'PENDING', category: body.category }
    }
    if (node === 'message_templates' && method === 'GET') return { data: [...templates.values()] }
    const id = method === 'DELETE' ? searchParams.get('hsm_id')! : node
    const found = templates.get(id)
    if (!found) return method === 'GET' ? { id: node, data: [] } : undefined
    if (method === 'GET') return found
    if (method === 'DELETE') templates.delete(id)
    else templates.set(id, { ...found, ...body, status: 'PENDING' })
    return { success: true }
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://graph')
    const body = JSON.parse((await text(request)) || '{}') as Json
    const is_list = url.pathname.endsWith('/message_templates') && !url.searchParams.has('name')
    const answer = JSON.stringify(act(request.method!, url, body) ?? { error: { code: 100, error_subcode: 33 } })
    if (request.method === 'GET' && is_list) {
      state.lists++
      if (state.holds) await new Promise<void>((resolve) => gates.push(resolve))
    }
    response.setHeader('content-type', 'application/json')
    response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const release = () => {
    state.holds = false
    for (const open of gates.splice(0)) open()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, templates, state, release }
}

type Graph = Awaited<ReturnType<typeof startGraph>>
type Api = (method: string, path: string, body?: Json) => Promise<Json>
type Case = {
  /** Changes the template meanwhile. */
  act(with_: { api: Api; id: string; graph: Graph; told(name: string, event: string): Promise<void> }): Promise<unknown>
  name?: string
  /** The template afterwards; undefined for none. */
  expected: Json | undefined
  /** Statuses of its events. */
  events: string[]
}

const text_of = (words: string) => [{ type: 'BODY', text: words }]

const CASES: Record<string, Case> = {
  'is submitted': {
    name: 'later',
    act: ({ api }) => {
      const draft = {
        name: 'later',
        language: 'en_US',
        category: 'UTILITY',
        components: text_of('Later'),
        examples: {},
      }
      return api('POST', 'messages/templates', draft)
    },
    expected: { status: 'PENDING' },
    events: ['PENDING'],
  },
  'is edited': {
    act: ({ api, id }) => api('PATCH', `messages/templates/${id}`, { components: text_of('New'), examples: {} }),
    expected: { status: 'PENDING', components: text_of('New') },
    events: ['PENDING'],
  },
  'is deleted': {
    act: ({ api, id }) => api('DELETE', `messages/templates/${id}`),
    expected: undefined,
    events: ['DELETED'],
  },
  'is paused by the provider': {
    act({ graph, told }) {
      graph.templates.set('old', { ...graph.templates.get('old'), status: 'PAUSED' })
      return told('kept', 'PAUSED')
    },
    expected: { status: 'PAUSED' },
    events: ['PAUSED'],
  },
}

let accounts = 0

for (const [what, { act, name = 'kept', expected, events }] of Object.entries(CASES)) {
  t.test(`a template that ${what} while the list is on its way is not undone by the list`, async (t) => {
    const graph = await startGraph()
    const kept = {
      name: 'kept',
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      components: text_of('Old'),
    }
    graph.templates.set('old', { id: 'old', ...kept })
    const tenant = await makeTenant(world)
    const sink = `lists-${process.pid}-${++accounts}`
    await tenant.subscribe(sink, ['whatsapp.template.updated'])
    const account = String(process.pid * 1000 + accounts)
    const access = { access_token: `token-${account}`, app_secret: SECRET, api_base_url: graph.url }
    const credentials = { phone_number_id: account, business_account_id: account, verify_token: 'v', ...access }
    const fields = { project_id: tenant.project_id, channel_type: 'whatsapp', provider: 'cloud', name: account }
    const { _id: channel_id } = await made(world.operator('POST', 'channels', { ...fields, credentials }))
    const told = async (template: string, event: string) => {
      const value = { event, message_template_name: template, message_template_language: 'en_US', reason: null }
      const changes = [{ field: 'message_template_status_update', value }]
      const raw = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: account, changes }] })
      const signature = `sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
      const url = `${world.base_url}/providers/whatsapp/${channel_id}`
      t.equal((await world.http('POST', url, { raw, headers })).status, 200)
    }
    const api: Api = (method, path, body) =>
      made(tenant.api(method, path, body && method === 'POST' ? { ...body, channel_id } : body))
    const find = async () =>
      (await api('GET', `messages/templates?channel_id=${channel_id}`)).data.find((one: Json) => one.name === name)
    const { data } = await eventually('the list of the check', async () => {
      const page = await api('GET', `messages/templates?channel_id=${channel_id}`)
      return page.data.length > 0 && page
    })
    const before = world.sink.events(sink).length
    graph.state.holds = true
    const { lists } = graph.state
    await told('kept', 'APPROVED')
    await eventually('the list is asked for', () => graph.state.lists > lists)
    await act({ api, id: data[0]._id, graph, told })
    const asked = graph.state.lists
    graph.release()
    await eventually('the list is asked for again', () => graph.state.lists > asked)
    const found = await find()
    if (expected) t.match(found, expected)
    else t.equal(found, undefined)
    const seen = await eventually('its events', () => {
      const all = world.sink
        .events(sink)
        .slice(before)
        .filter((one) => one.data.name === name)
      return all.length >= events.length && all
    })
    const statuses = seen.map(({ data }: Json) => data.status as string)
    t.same(statuses, events)
  })
}
