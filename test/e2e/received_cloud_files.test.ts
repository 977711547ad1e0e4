/** Files that people send to a number of the Cloud API: WhatsApp's id of them goes on to work beside ours. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { WhatsApp } from '../../actors/providers/whatsapp/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { control, base_url, sink } = world

const is = (status: string) => (message: Json) => message.media_status === status

/** A picture that a person sent, with what the event says of it. */
async function picture(tenant: Tenant, bytes: Buffer) {
  const path = `cloud-${tenant.number.phone_number_id}`
  await tenant.subscribe(path, ['whatsapp.message.received', 'whatsapp.message.media'])
  await tenant.writes('+15551234567', {
    type: 'document',
    document: { data: bytes.toString('base64'), filename: 'a.own' },
  })
  const [event] = await eventually('the event', () => {
    const told = sink.events(path).filter(({ type }) => type.endsWith('received'))
    return told.length > 0 && told
  })
  return event!.data.messages[0].document as Json
}

function shown(tenant: Tenant, fits: (message: Json) => boolean): Promise<Json> {
  return eventually('the message', async () => {
    const [row] = (await tenant.api('GET', 'messages?direction=inbound')).body.data
    return row && fits(row.message) && row.message
  })
}

async function bytesOf(tenant: Tenant, media_id: string, channel = tenant.number.phone_number_id) {
  const answer = await fetch(`${base_url}/v1/media/${media_id}/download?phone_number_id=${channel}`, {
    headers: { authorization: `Bearer ${tenant.token}` },
  })
  return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : answer.status
}

async function hold(t: Test, tenant: Tenant) {
  const { phone_number_id } = tenant.number
  const match = { channel: 'whatsapp', operation: 'download', phone_number_id }
  const { id } = await made(control('POST', 'faults', { match, garbage: true, times: 1 }))
  t.teardown(() => control('DELETE', `faults?id=${id}`))
}

t.test("a file is read by WhatsApp's id and by ours, before it is here and after", async (t) => {
  const tenant = await makeTenant(world)
  await hold(t, tenant)
  const bytes = randomBytes(50_000)
  const said = await picture(tenant, bytes)
  t.match(said, { id: /^\d+$/, media_id: /^[0-9a-f]{24}$/, media_status: 'pending' })
  t.match(await shown(tenant, is('pending')), { media_id: said.media_id, provider_media_id: said.id })
  for (const id of [said.id, said.media_id]) {
    t.same(await bytesOf(tenant, id), bytes, 'WhatsApp gives it out meanwhile')
    const { body } = await tenant.api('GET', `media/${id}?phone_number_id=${tenant.number.phone_number_id}`)
    t.match(body, { media_id: id, file_size: bytes.length, url: /^http/ })
    const sent = await tenant.send('+15551234567', { message: { type: 'document', media_id: id, filename: 'b.own' } })
    t.equal(sent.status, 202)
  }
  t.equal(await bytesOf(tenant, said.media_id, 'any'), 404, 'with its own number alone')

  await shown(tenant, is('stored'))
  for (const id of [said.id, said.media_id]) {
    t.same(await bytesOf(tenant, id), bytes)
    const { body } = await tenant.api('GET', `media/${id}?phone_number_id=${tenant.number.phone_number_id}`)
    t.match(body, {
      media_id: said.media_id,
      filename: 'a.own',
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    t.notOk('url' in body)
    t.match(body.expires_at, /^\d{4}-/, 'it is here for 30 days')
  }
  t.same(await bytesOf(tenant, said.media_id, 'any'), bytes, 'by our id with any')
  const sent = await tenant.sent()
  t.same(
    sent.map(({ body }: Json) => body.document?.id),
    [said.id, said.id],
    'WhatsApp was named its own file while it was not here',
  )
  const other = await makeTenant(world)
  t.equal(await bytesOf(other, said.id), 404)
  t.equal(await bytesOf(other, said.id, tenant.number.phone_number_id), 404)
})

t.test('a deleted file is gone here and at WhatsApp', async (t) => {
  const tenant = await makeTenant(world)
  const said = await picture(tenant, randomBytes(500))
  await shown(tenant, is('stored'))
  const query = `phone_number_id=${tenant.number.phone_number_id}`
  t.equal((await tenant.api('DELETE', `media/${said.id}?${query}`)).status, 204)
  t.equal(await bytesOf(tenant, said.id), 404)
  t.equal(await bytesOf(tenant, said.media_id), 404)
})

t.test('a file that WhatsApp does not give out has a reason', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.writes('+15551234567', { type: 'image', image: { id: '99000000000000001', mime_type: 'image/png' } })
  const fetch = async () => {
    const { media_id } = await shown(tenant, ({ media_id }) => media_id !== undefined)
    return (await tenant.api('POST', `media/${media_id}/fetch`)).status
  }
  t.equal(await fetch(), 202)
  const { media_id } = await shown(tenant, is('pending'))
  t.equal(await bytesOf(tenant, media_id), 404)
})

/** WhatsApp's side of one file, with the hash that it announces. */
async function startGraph(t: Test, bytes: Buffer, announced: string) {
  const asked: { url: string; authorization: string | undefined }[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push({ url, authorization: headers.authorization })
    if (url.startsWith('/file')) return response.end(bytes)
    const file = { url: `${at}/file?x=1`, mime_type: 'image/png', sha256: announced, file_size: bytes.length, id: '1' }
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.closeAllConnections() ?? server.close(resolve)))
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentials = { phone_number_id: '106540352242922', access_token: 'the token', api_base_url: at }
  return { asked, credentials }
}

const limits = { max_bytes: 1000, deadline_ms: 10_000, signal: new AbortController().signal }
const CONTENT = Buffer.from('bytes of a picture')
const HASH = createHash('sha256').update(CONTENT)
const hex = HASH.copy().digest('hex')

for (const [name, announced] of Object.entries({
  hex,
  base64: HASH.copy().digest('base64'),
  upper: hex.toUpperCase(),
})) {
  t.test(`both calls of an attempt have the token, and the hash in ${name} is understood`, async (t) => {
    const { asked, credentials } = await startGraph(t, CONTENT, announced)
    const whatsapp = new WhatsApp()
    t.teardown(() => whatsapp.close())
    const opened = await whatsapp.fetchFile(credentials, { provider_media_id: '1003383421387256' }, limits)
    if ('failure' in opened) throw new Error(opened.failure.message)
    t.same(Buffer.concat(await opened.stream.toArray()), CONTENT)
    t.equal(opened.sha256, hex)
    t.match(asked, [
      { url: '/v25.0/1003383421387256?phone_number_id=106540352242922', authorization: 'Bearer the token' },
      { url: '/file?x=1', authorization: 'Bearer the token' },
    ])
  })
}

t.test('a hash that is none is not compared', async (t) => {
  const { credentials } = await startGraph(t, CONTENT, 'none')
  const whatsapp = new WhatsApp()
  t.teardown(() => whatsapp.close())
  const opened = await whatsapp.fetchFile(credentials, { provider_media_id: '1003383421387256' }, limits)
  if ('failure' in opened) throw new Error(opened.failure.message)
  await opened.stream.toArray()
  t.equal(opened.sha256, undefined)
})
