/** Lists of the largest records: their pages end early, so that no list costs a node more memory than any other. */
import t, { type Test } from 'tap'
import type { Json } from './client.ts'
import { ticketOf } from './desk.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const ticket = await ticketOf(tenant, '+15557340001')
const MIB = 1024 * 1024
const large = 'x'.repeat(0.9 * MIB)
const COUNT = 12

/** The ids of all entries, oldest first, by the kind of the timeline. */
const ids: { [kind: string]: string[] } = { note: [], event: [], message: [] }
const chat_user = ticket.chat_user
for (let at = 0; at < COUNT; at++) {
  const note = await made(tenant.api('POST', 'crm/notes', { content: `Note ${at}`, ticket_id: ticket._id }))
  const event = { event_type: 'payment.confirmed', chat_user_id: chat_user, data: { large } }
  const { event: recorded } = await made(tenant.api('POST', 'crm/events', event))
  const message = await made(tenant.send('+15557340001', { meta_data: { large } }))
  ids.note!.push(note._id)
  ids.event!.push(recorded._id)
  ids.message!.push(message.id)
}

/** All pages of a list, after checks of each of them. */
async function walk(test: Test, path: string): Promise<Json[]> {
  const all: Json[] = []
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const answer = await tenant.api('GET', `${path}limit=200${cursor && `&cursor=${cursor}`}`)
    test.equal(answer.status, 200)
    test.ok(answer.body.data.length > 0)
    test.ok(answer.text.length < 10 * MIB, `a page of ${answer.text.length} characters`)
    all.push(...answer.body.data)
    cursor = answer.body.next_cursor
  }
  test.ok(pages > 2, `${pages} pages`)
  return all
}

t.test('a page of large messages or events ends early, and the next one goes on where it ended', async (t) => {
  for (const path of ['crm/events?', `crm/events?ticket_id=${ticket._id}&`, `crm/events?chat_user=${chat_user}&`]) {
    const seen = (await walk(t, path)).map(({ _id }) => _id)
    t.same(seen.filter((id) => ids.event!.includes(id)).reverse(), ids.event, path)
    t.equal(new Set(seen).size, seen.length)
  }
  for (const path of ['messages?', `messages?chat_user=${chat_user}&`, 'messages?channel=whatsapp&']) {
    const seen = (await walk(t, path)).map(({ id }) => id)
    t.same(seen.filter((id) => ids.message!.includes(id)).reverse(), ids.message, path)
    t.equal(new Set(seen).size, seen.length)
  }
})

t.test('a page of a timeline ends early in one order of all kinds', async (t) => {
  const path = `crm/tickets/${ticket._id}/timeline?`
  const seen = await walk(t, path)
  const times = seen.map(({ created_at }) => created_at)
  t.same(times, times.toSorted().reverse(), 'newest first')
  for (const [kind, wanted] of Object.entries(ids)) {
    const found = seen.filter((item) => item.kind === kind).map(({ _id, id }) => _id ?? id)
    t.same(found.filter((id) => wanted.includes(id)).reverse(), wanted, kind)
    t.equal(new Set(found).size, found.length)
  }
  t.equal((await walk(t, `${path}kind=event&`)).length, seen.filter(({ kind }) => kind === 'event').length)
})
