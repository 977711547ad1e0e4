import t from 'tap'
import { fixture, PERSON, sentId } from './fixture.ts'

t.test('a status is reported on demand, whatever was reported before', async (t) => {
  const { send, control, receiver } = await fixture(t, { statuses: { enabled: false } })
  const id = sentId(await send(PERSON, { biz_opaque_callback_data: 'msg_1' }))
  const report = (fields: object) => control('POST', 'statuses', fields)
  const read = await report({ message_id: 'msg_1', status: 'read' })
  t.match(read, { status: 200, body: { provider_message_id: id, status: 'read', webhook: { status: 200 } } })
  await report({ message_id: id, status: 'sent' })
  await report({ message_id: id, status: 'failed', code: 131049 })
  await report({ message_id: id, status: 'failed' })
  const statuses = receiver.statuses()
  t.match(statuses, [
    { id, status: 'read', recipient_id: PERSON, biz_opaque_callback_data: 'msg_1' },
    { id, status: 'sent' },
    { id, status: 'failed', errors: [{ code: 131049 }] },
    { id, status: 'failed', errors: [{ code: 131026 }] },
  ])
})

t.test('a status that cannot be reported is refused with a sentence', async (t) => {
  const { send, control } = await fixture(t, { statuses: { enabled: false } })
  const message_id = sentId(await send(PERSON))
  const cases: [object, number, RegExp][] = [
    [{ message_id: 'wamid.unknown', status: 'read' }, 404, /No message wamid\.unknown was accepted/],
    [{ message_id, status: 'lost' }, 400, /status must be one of sent, delivered, read, failed/],
    [{ message_id, status: 'read', code: 131026 }, 400, /Only a failed message has a code/],
    [{ message_id, status: 'failed', code: 'x' }, 400, /code must be the number/],
    [{ status: 'read' }, 400, /message_id is missing/],
    [{ message_id, status: 'read', at: 1 }, 400, /no field "at"/],
  ]
  for (const [fields, status, message] of cases) {
    t.match(await control('POST', 'statuses', fields), { status, body: { error: { message } } })
  }
})
