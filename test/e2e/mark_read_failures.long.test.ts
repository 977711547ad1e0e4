/** Failures of the provider while a message is marked as read. */
import t from 'tap'
import { type Answer, eventually, type Json } from './client.ts'
import { joinWorld, makeTenant, startWorld, type Tenant } from './fixture.ts'

const world = await joinWorld(t)

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

/** Returns the requests that told the provider that a message was read. */
async function reads(message_id: string, { control } = world): Promise<Json[]> {
  return (await control('GET', 'reads')).body.data.filter((one: Json) => one.message_id === message_id)
}

async function inbound(tenant: Tenant, from: string): Promise<{ id: string; provider_message_id: string }> {
  const { provider_message_id } = await tenant.writes(from, 'Read me')
  const find = async () => {
    const { data } = (await tenant.api('GET', 'messages?status=received')).body
    return data.find((one: Json) => one.provider_message_id === provider_message_id)
  }
  return eventually('the message is here', find)
}

t.test('a failure of the provider is told to the client, which may ask again under the same key', async (t) => {
  // One call of the provider hangs, so the node waits for a short time.
  const world = await startWorld(t, { waits: { operation_ms: 4000 } })
  const tenant = await makeTenant(world)
  const { id, provider_message_id } = await inbound(tenant, '+15557000063')
  const { phone_number_id } = tenant.number
  const ask = () => tenant.api('POST', 'messages/mark-read', { message_id: id }, keyed('read'))
  const failing: { rule: Json; expected: [number, string] }[] = [
    { rule: { reset: 'before' }, expected: [502, 'WHATSAPP_UPSTREAM_ERROR'] },
    { rule: { garbage: true }, expected: [502, 'WHATSAPP_UPSTREAM_ERROR'] },
    { rule: { hang: true }, expected: [502, 'WHATSAPP_UPSTREAM_ERROR'] },
    { rule: { error: { code: 131000 } }, expected: [502, 'WHATSAPP_UPSTREAM_ERROR'] },
  ]
  for (const { rule, expected } of failing) {
    await world.control('POST', 'faults', { match: { operation: 'mark_read', phone_number_id }, ...rule })
    const answer = await ask()
    await world.control('DELETE', 'faults')
    t.same(codeOf(answer), expected, JSON.stringify(rule))
    t.equal((await tenant.api('GET', `messages/${id}`)).body.status, 'received', 'it is not read yet')
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
  }
  await world.control('POST', 'faults', {
    match: { operation: 'mark_read', phone_number_id },
    error: { code: 130429, retry_after: 7 },
  })
  const slow = await ask()
  await world.control('DELETE', 'faults')
  t.same([...codeOf(slow), slow.headers['retry-after']], [502, 'WHATSAPP_UPSTREAM_ERROR', '7'])
  t.equal((await ask()).status, 200)
  const again = await ask()
  t.same([again.status, again.headers['idempotent-replayed']], [200, 'true'])
  t.equal((await reads(provider_message_id, world)).length, 1)
  await world.control('POST', 'faults', {
    match: { operation: 'mark_read', phone_number_id },
    error: { code: 190 },
  })
  const refused = await tenant.api('POST', 'messages/mark-read', { message_id: id })
  await world.control('DELETE', 'faults')
  t.same(codeOf(refused), [422, 'CHANNEL_NOT_CONNECTED'])
  await world.control('POST', 'faults', { match: { operation: 'mark_read', phone_number_id }, error: { code: 131009 } })
  const forgotten = await tenant.api('POST', 'messages/mark-read', { message_id: id })
  await world.control('DELETE', 'faults')
  t.same(codeOf(forgotten), [422, 'MESSAGE_NOT_FOUND'], 'the provider no longer knows it')
})
