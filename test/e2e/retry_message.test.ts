/** `POST …/messages/{id}/retry`: a failed message is sent again, once, however often and wherever it is asked for. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { upload } from '../http/media_client.ts'
import { askerOf } from './bulk_client.ts'
import { eventually, type Json } from './client.ts'
import { joinCluster, statuses } from './cluster.ts'
import { openConsole } from './console_socket.ts'
import { ANA, failedMessages } from './failed_messages.ts'
import { joinWorld, made, makeTenant, startWorld, text } from './fixture.ts'
import { inboxAgent, makeOffice } from './inbox_client.ts'

t.test('one node', async (t) => {
  const world = await joinWorld(t)
  const newProject = await makeOffice(world)

  t.test('the new message is a copy with links both ways, and a repeat gets the same answer', async (t) => {
    const { tenant, agents } = await newProject()
    const [{ ask, cookie }] = agents
    const fields = { message: text('Your parcel'), meta_data: { order: 7 } }
    const [id] = (await failedMessages(world, tenant, [fields])) as [string]
    const tab = await openConsole(t, world.base_url, cookie)
    await tab.ask('watch', { project_id: tenant.project_id })
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('POST', `messages/${id}/retry`)))
    t.same(statuses(answers), { 202: 5 })
    const again = answers[0]!.body
    t.match(again, { retry_of: id, channel: 'whatsapp', to: ANA, type: 'text', warnings: [] })
    t.not(again.id, id)
    for (const { body } of answers) t.equal(body.id, again.id)
    const { retried_as: none, ...copy } = await tenant.message(again.id, 'sent', 'delivered', 'read')
    t.match(copy, { ...fields, to: ANA, channel_id: tenant.number.channel_id, retry_of: id })
    t.equal(none, null)
    t.match(await tenant.message(id, 'failed'), { retried_as: again.id, retry_of: null })
    t.equal((await tenant.sent()).length, 1, 'the provider has it once')
    const [later] = [await made(ask('POST', `messages/${id}/retry`))]
    t.match(later, { id: again.id, retry_of: id, status: /sent|delivered|read/ }, 'with the present status')
    await eventually('the console hears both', () => {
      const heard = tab.events().map(({ type, data }) => [type, data.id, data.retry_of, data.retried_as].join())
      return (
        heard.includes(`message.created,${again.id},${id},`) && heard.includes(`message.updated,${id},,${again.id}`)
      )
    })
    t.match(await ask('POST', `messages/${again.id}/retry`), {
      status: 409,
      body: { error: { code: 'MESSAGE_NOT_FAILED', details: { status: /queued|sent|delivered|read/ } } },
    })
  })

  t.test('a new message that fails, too, is sent again itself', async (t) => {
    const { tenant, agents } = await newProject()
    const [{ ask }] = agents
    const { id } = await made(tenant.send('+15550131009'))
    await tenant.message(id, 'failed')
    const second = await made(ask('POST', `messages/${id}/retry`))
    await tenant.message(second.id, 'failed')
    t.equal((await made(ask('POST', `messages/${id}/retry`))).id, second.id)
    const third = await made(ask('POST', `messages/${second.id}/retry`))
    t.same(
      (await made(tenant.api('GET', 'messages'))).data.map(({ retry_of }: Json) => retry_of),
      [second.id, id, null],
    )
    t.equal(third.retry_of, second.id)
  })

  t.test('raw messages, templates and files are sent again as they were', async (t) => {
    const { tenant, agents } = await newProject()
    const [{ ask }] = agents
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const { media_id } = await made(upload(tenant, png, { filename: 'dot.png', part_type: 'image/png' }))
    const template = { type: 'template', name: 'order_update', language: 'en_US', variables: { 1: 'Ana', 2: '7' } }
    const { phone_number_id } = tenant.number
    await tenant.writes(ANA, 'Hi')
    await made(world.control('POST', 'faults', { match: { phone_number_id }, error: { code: 131009 } }))
    const payload = { messaging_product: 'whatsapp', to: ANA.slice(1), type: 'text', text: { body: 'Raw' } }
    const sends = [
      await made(tenant.send(ANA, { message: template })),
      await made(tenant.send(ANA, { message: { type: 'image', media_id } })),
      await made(tenant.api('POST', 'messages/raw', { payload })),
    ]
    for (const { id } of sends) await tenant.message(id, 'failed')
    await world.control('DELETE', 'faults')
    for (const { id } of sends) {
      const again = await made(ask('POST', `messages/${id}/retry`))
      const { message } = await tenant.message(again.id, 'sent', 'delivered', 'read')
      t.same(message, (await made(tenant.api('GET', `messages/${id}`))).message)
    }
  })

  t.test('what cannot be sent now is refused by its reason, and can be asked for again', async (t) => {
    // The node restarts.
    const world = await startWorld(t)
    const newProject = await makeOffice(world)
    const { tenant, agents } = await newProject()
    const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
    t.teardown(() => database.close())
    const [{ ask }] = agents
    const template = { type: 'template', name: 'order_update', language: 'en_US', variables: { 1: 'Ana', 2: '7' } }
    const [id, file] = (await failedMessages(world, tenant, [{ message: template }, {}])) as [string, string]
    const gone = 'f'.repeat(24)
    await database.execute(
      `update message set type = 'image', message = '{"type":"image","media_id":"${gone}"}' where id = '${file}'`,
    )
    await world.restart()
    const refused = async (one: string, code: string, status = 422) =>
      t.match(await ask('POST', `messages/${one}/retry`), { status, body: { error: { code } } }, code)
    await refused(file, 'MEDIA_NOT_FOUND')
    const path = `channels/${tenant.number.channel_id}`
    await made(world.operator('PATCH', path, { is_active: false }))
    await refused(id, 'CHANNEL_NOT_CONNECTED')
    await made(world.operator('PATCH', path, { is_active: true }))
    await refused(`msg_${gone}`, 'NOT_FOUND', 404)
    const { data } = await made(tenant.api('GET', 'messages'))
    await refused(data.find(({ direction }: Json) => direction === 'inbound').id, 'NOT_FOUND', 404)
    const [theirs] = (await newProject()).agents
    t.equal((await theirs.ask('POST', `messages/${id}/retry`)).status, 404, 'of another project')
    t.equal((await made(ask('POST', `messages/${id}/retry`))).retry_of, id)
  })
})

t.test('two nodes, two agents, both ask at once: one new message', async (t) => {
  const { world, nodes, http } = await joinCluster(t)
  const tenant = await makeTenant(world)
  const ids = await failedMessages(world, tenant, [{}, {}, {}])
  const agents = [await inboxAgent(world, tenant), await inboxAgent(world, tenant)]
  for (const id of ids) {
    const asks = nodes.flatMap(({ base_url }) =>
      agents.flatMap(({ cookie }) => {
        const ask = askerOf(http, base_url, cookie, tenant)
        return [ask('POST', `messages/${id}/retry`), ask('POST', `messages/${id}/retry`)]
      }),
    )
    const answers = await Promise.all(asks)
    t.same(statuses(answers), { 202: answers.length })
    t.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  }
  const { data } = (await tenant.api('GET', 'messages')).body
  t.same(data.flatMap(({ retry_of }: Json) => retry_of ?? []).toSorted(), ids.toSorted())
})
