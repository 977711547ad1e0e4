/** An account of Instagram answers to two ids, and calls the webhook about one of them. The check tells which. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { checkOf } from './channel_calls.ts'

const world = await joinWorld(t)
const [SCOPED, PROFESSIONAL] = ['25000000000000001', '17841400000000001']

/** A Graph that knows the account by both ids, and tells the fields that it is asked for. */
const graph = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://graph.example')
  const known = pathname.endsWith(SCOPED) || pathname.endsWith(PROFESSIONAL)
  const account: Record<string, string> = { id: SCOPED, user_id: PROFESSIONAL, username: 'shop', name: 'Shop' }
  const asked = (searchParams.get('fields') ?? 'id').split(',').map((field) => [field, account[field]])
  response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(known ? Object.fromEntries(asked) : { error: { message: 'No such account', code: 100 } }))
})
graph.listen(0, '127.0.0.1')
await once(graph, 'listening')
t.teardown(() => void graph.close())
const api_base_url = `http://127.0.0.1:${(graph.address() as AddressInfo).port}`

t.test(
  'a channel with the app-scoped id is disconnected with the right id, and connected once it has it',
  async (t) => {
    const { project_id } = await makeTenant(world)
    const secrets = { access_token: 'token', app_secret: 'secret', verify_token: 'verify', api_base_url }
    const body = { project_id, channel_type: 'instagram', name: 'Shop', provider: 'cloud' }
    const wrong = await made(
      world.operator('POST', 'channels', { ...body, credentials: { ...secrets, account_id: SCOPED } }),
    )
    t.match(wrong, { status: 'disconnected', status_reason: new RegExp(PROFESSIONAL) })
    t.match(await checkOf(world, wrong._id), { ok: false, reason: new RegExp(`${PROFESSIONAL}.*not ${SCOPED}`) })
    const right = { ...secrets, account_id: PROFESSIONAL }
    const changed = await made(world.operator('PATCH', `channels/${wrong._id}`, { credentials: right }))
    t.match(changed, { status: 'connected', status_reason: null, provider_account_id: PROFESSIONAL })
  },
)
