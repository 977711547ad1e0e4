/** Messages in a group of WhatsApp are kept apart from the conversation with the person. */
import t from 'tap'
import type { Answer, Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { inboxAgent } from '../e2e/inbox_client.ts'
import { callAsProvider } from '../e2e/provider_call.ts'

const world = await joinWorld(t)
const GROUP = 'Y2FwaV9ncm91cDoxNTU1'
let last = 0

const IN_GROUP: Json[] = [
  { type: 'text', text: { body: 'Who brings the cake?' } },
  { type: 'image', image: { id: '77', mime_type: 'image/jpeg', caption: 'The cake' } },
  { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '🎂' } },
  { type: 'newkind', newkind: { any: 1 } },
]

t.test('what is said in a group opens no window and no ticket, and cannot be answered', async (t) => {
  const tenant = await makeTenant(world)
  const agent = await inboxAgent(world, tenant)
  const says = (from: string, message: Json, id = `wamid.group.${++last}`): Promise<Answer> =>
    callAsProvider(world, tenant.number, { messages: [{ from, id, ...message }] })
  for (const [n, message] of IN_GROUP.entries()) {
    const from = `1555039${String(1000 + n)}`
    t.equal((await says(from, { ...message, group_id: GROUP })).status, 200)
    const [contact] = (await made(tenant.api('GET', `contacts?search=${from}`))).data
    t.same(contact.windows, [])
    const [stored] = (await made(tenant.api('GET', `messages?chat_user=${contact._id}`))).data
    const { type } = message
    const kept = type === 'newkind' ? { type: 'unsupported', message: { kind: type, group_id: GROUP } } : undefined
    t.match(stored, kept ?? { type, message: { group_id: GROUP } })
    const answers: Json[] = [
      { context: { message_id: stored.id } },
      { context: { message_id: stored.provider_message_id } },
    ]
    answers.push({ message: { type: 'reaction', message_id: stored.id, emoji: '👍' } })
    for (const fields of answers) {
      const { status, body } = await tenant.send(`+${from}`, fields)
      t.match({ status, code: body.error?.code }, { status: 422, code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL' })
    }
  }
  t.same((await made(tenant.api('GET', 'crm/tickets'))).data, [])
  t.same(await agent.list(), [])
})

t.test('a group changes nothing of the private ticket of the person', async (t) => {
  const tenant = await makeTenant(world)
  const agent = await inboxAgent(world, tenant)
  const from = '15550398001'
  const says = (message: Json): Promise<Answer> =>
    callAsProvider(world, tenant.number, { messages: [{ from, id: `wamid.group.${++last}`, ...message }] })
  await says({ text: { body: 'In private' } })
  const [before] = await agent.list()
  for (const message of IN_GROUP) await says({ ...message, group_id: GROUP })
  const [after] = await agent.list()
  t.same(after, before, 'nothing more is unread, and the preview is the private message')
  const quoted = (await made(tenant.api('GET', 'messages'))).data.at(-1)
  const sent = await tenant.send(`+${from}`, { context: { message_id: quoted.id } })
  t.equal(sent.status, 202, 'the private message can be answered')
})

t.test('a message of a group is edited and withdrawn like others', async (t) => {
  const tenant = await makeTenant(world)
  const call = (message: Json) =>
    callAsProvider(world, tenant.number, { messages: [{ from: '15550398002', ...message }] })
  await call({ id: 'wamid.g.1', text: { body: 'Two' }, group_id: GROUP })
  const edit = { original_message_id: 'wamid.g.1', message: { type: 'text', text: { body: 'Three' } } }
  await call({ id: 'wamid.g.2', type: 'edit', edit, group_id: GROUP })
  const read = async () =>
    (await made(tenant.api('GET', 'messages'))).data.find((one: Json) => one.provider_message_id === 'wamid.g.1')
  t.match(await read(), { message: { body: 'Three', group_id: GROUP }, edited_at: /Z$/ })
  await call({ id: 'wamid.g.3', type: 'revoke', revoke: { original_message_id: 'wamid.g.1' }, group_id: GROUP })
  t.same((await read()).message, { type: 'text', group_id: GROUP })
})
