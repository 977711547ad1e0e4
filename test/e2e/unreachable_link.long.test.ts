import { createServer } from 'node:http'
import t from 'tap'
import { startMailServer, USER } from '../actors/providers/email/mail_server.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

const world = await startWorld(t)
const tenant = await makeTenant(world)
const mail_server = await startMailServer(t)
await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'email',
    provider: 'cloud',
    name: 'Support',
    credentials: {
      smtp_url: mail_server.url,
      from: `Support <${USER.name}>`,
      inbound_secret: 'the secret of the inbound hook',
    },
  }),
)

const asked: string[] = []
const site = createServer((request, response) => {
  asked.push(request.url!)
  response.writeHead(503).end()
})
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  site.closeAllConnections()
  site.close()
})
const link = (name: string) => `http://127.0.0.1:${(site.address() as { port: number }).port}/${name}`

const send = (to: string, message: Json): Promise<Json> =>
  made(tenant.api('POST', 'messages', { channel: 'email', to, message }))
const read = async (id: string): Promise<Json> => (await tenant.api('GET', `messages/${id}`)).body

t.test(
  'a link that cannot be fetched delays the mails behind it for a short while, and each mail tells why',
  async (t) => {
    const to = 'ana@example.com'
    const picture = await send(to, { type: 'image', link: link('a.jpg') })
    const later = [await send(to, { type: 'text', body: 'one' }), await send(to, { type: 'text', body: 'two' })]
    const waits = await eventually('a failed try', async () => {
      const message = await read(picture.id)
      return message.waiting?.error && message
    })
    t.match(waits, {
      status: 'queued',
      error: null,
      waiting: { attempts: Number, error: { code: 'attachment_unavailable', message: /http_503/ }, behind: null },
    })
    for (const { id } of later)
      t.match(await read(id), {
        status: 'queued',
        waiting: { attempts: 0, next_attempt_at: null, error: null, behind: picture.id },
      })

    const failed = await tenant.message(picture.id, 'failed')
    t.match(failed.error, { code: 'attachment_unavailable', message: /http_503/ })
    for (const { id } of later) await tenant.message(id, 'sent')
    t.equal((await read(picture.id)).waiting, null)
    t.equal(asked.filter((url) => url === '/a.jpg').length, 4, 'four tries')
    t.same([...new Set(mail_server.mails.map(({ mail }) => mail.text?.trim()))], ['one', 'two'])
  },
)

t.test('each of many such messages gets as many tries', async (t) => {
  const people = Array.from({ length: 6 }, (_, index) => `person-${index}@example.com`)
  const pictures = await Promise.all(people.map((to) => send(to, { type: 'image', link: link(to) })))
  await Promise.all(pictures.map(({ id }) => tenant.message(id, 'failed')))
  for (const to of people) t.equal(asked.filter((url) => url === `/${to}`).length, 4)
})
