/**
 * The client in Chromium, on a page whose server passes requests on to Parley: Parley itself answers no pages of other
 * origins. `npm run test:client` runs this.
 */
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type * as client from '../../http/client/mod.ts'
import { openWindow } from '../console/window.ts'
import { eventually } from '../e2e/client.ts'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'
import { installClient } from './package.ts'

const world = await startWorld(t)
const tenant = await makeTenant(world)
const folder = tempDir(t)
installClient(folder)
const front = createServer((asked, answer) => {
  const { url = '/', method, headers } = asked
  if (url === '/') return answer.setHeader('content-type', 'text/html').end('<!doctype html><title>Staff</title>')
  if (url.startsWith('/client/')) {
    const file = join(folder, 'node_modules/@parley/client/dist', url.slice('/client/'.length))
    return answer.setHeader('content-type', 'text/javascript').end(readFileSync(file))
  }
  const passed = request(`${world.base_url}${url}`, { method, headers }, (response) => {
    answer.writeHead(response.statusCode!, response.headers)
    response.pipe(answer)
  })
  return asked.pipe(passed)
})
await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
t.teardown(() => void front.close().closeAllConnections())
const base_url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`

type Given = {
  base_url: string
  token: string
  phone_number_id: string
  secret: string
  raw: string
  headers: Record<string, string>
}

/** Runs in the page, so it sees nothing of this file. */
async function program({ base_url, token, phone_number_id, secret, raw, headers }: Given) {
  const path = '/client/mod.js'
  const { ApiError, Connection, ContactsApi, Parley, verifyWebhook, WebhookVerificationError } = (await import(
    path
  )) as typeof client
  const parley = new Parley({ base_url, token })
  const message = await parley.messages.send({
    channel: 'whatsapp',
    to: '+5215512345678',
    message: { type: 'text', body: 'Hi' },
  })
  for (const user_id of ['b1', 'b2', 'b3']) await parley.contacts.create({ channel_type: 'web', user_id })
  const listed: string[] = []
  const contacts = new ContactsApi(new Connection({ base_url, token }))
  for await (const { user_id } of contacts.list({ channel_type: 'web', limit: 2 })) listed.push(user_id)
  const twice = await parley.contacts.create({ channel_type: 'web', user_id: 'b1' }).catch((error: unknown) => error)
  const file = new Blob(['name,phone\n'], { type: 'text/plain' })
  const { media_id } = await parley.media.upload({ file, phone_number_id })
  const content = await (await parley.media.download(media_id, { phone_number_id })).text()
  const ended = new AbortController()
  setTimeout(() => ended.abort(new Error('enough')), 50)
  const polled = await parley.webhooks.create({ name: 'Polled', mode: 'poll', events: ['crm.note.created'] })
  const iterator = parley.webhooks.poll(polled.id, {}, { signal: ended.signal })[Symbol.asyncIterator]()
  const event = await verifyWebhook(raw, headers, { secret })
  const forged = await verifyWebhook(`${raw} `, headers, { secret }).catch((error: unknown) => error)
  return {
    status: message.status,
    remaining: parley.rate_limits.minute?.remaining,
    listed,
    known: twice instanceof ApiError && twice.is('CONTACT_ALREADY_EXISTS') && typeof twice.details.contact_id,
    content,
    aborted: await iterator.next().catch((error: Error) => error.message),
    event: event.type,
    forged: forged instanceof WebhookVerificationError,
  }
}

t.test('a page sends, lists, uploads, polls and verifies', async (t) => {
  const { id, secret } = await tenant.subscribe('browser', ['crm.note.created'])
  await tenant.client.webhooks.test(id, { event_type: 'crm.note.created' })
  const [delivery] = await eventually(
    'a delivery',
    () => world.sink.calls('browser').length > 0 && world.sink.calls('browser'),
  )
  const { page, faults } = await openWindow(t)
  await page.goto(base_url)
  const { phone_number_id } = tenant.number
  const { raw, headers } = delivery!
  const given: Given = { base_url, token: tenant.token, phone_number_id, secret, raw, headers }
  t.match(await page.evaluate(program, given), {
    status: 'queued',
    remaining: Number,
    listed: ['b3', 'b2', 'b1'],
    known: 'string',
    content: 'name,phone\n',
    aborted: 'enough',
    event: 'crm.note.created',
    forged: true,
  })
  t.strictSame(faults, [])
})
