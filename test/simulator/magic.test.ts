import { readFileSync } from 'node:fs'
import t from 'tap'
import { MAGIC_RECIPIENTS } from '../../http/simulator/whatsapp/magic.ts'
import { isAsynchronous } from '../../http/simulator/whatsapp/requests/errors.ts'
import { fixture, sentId } from './fixture.ts'
import { type Json, until } from './receiver.ts'

const byCode = MAGIC_RECIPIENTS.flatMap((magic) => {
  const code =
    magic.behaviour.error?.code ??
    (magic.number.startsWith('1555018') ? undefined : magic.behaviour.statuses?.fail?.code)
  return code === undefined ? [] : [{ ...magic, code }]
})

t.test('every magic recipient named by a code shows that code', async (t) => {
  const { send, receiver } = await fixture(t)
  for (const { number, code, times } of byCode) {
    t.ok(number.endsWith(String(code)), number)
    const reply = await send(number)
    if (isAsynchronous(code)) {
      t.equal(reply.status, 200, number)
      await until(`${code} by callback`, () => receiver.statusesOf(sentId(reply))[0]?.status === 'failed')
      t.match(receiver.statusesOf(sentId(reply)), [{ errors: [{ code, title: /./, error_data: { details: /./ } }] }])
      continue
    }
    t.ok(reply.status >= 400, number)
    t.match(reply.body.error, { code, message: /./, type: /Exception$/, fbtrace_id: /^A/ })
    for (let strike = 1; strike < (times ?? 1); strike += 1) t.equal((await send(number)).body.error.code, code)
    const after = await send(number)
    t.equal(after.status === 200, times !== undefined, `${number} recovers only when its table says so`)
  }
  t.match(
    byCode.map(({ code }) => code),
    [0, 1],
  )
})

t.test('130429 says when to come back', async (t) => {
  const { send } = await fixture(t)
  const limited = await send('15550130429')
  t.equal(limited.status, 429)
  t.equal(limited.headers.get('retry-after'), '1')
  t.equal((await send('15550130429')).status, 200)
  t.equal((await send('15550130429')).status, 429, 'and so on in turn')
})

t.test('connections that break and hang', async (t) => {
  const { send, control, receiver } = await fixture(t)
  const accepted = async (recipient: string) => (await control('GET', `sent?recipient=${recipient}`)).body.data
  await t.rejects(send('15550180001'), 'reset before it is accepted')
  t.same(await accepted('15550180001'), [])
  t.equal((await send('15550180001')).status, 200)
  await t.rejects(send('15550180002'), 'reset after it is accepted')
  const [lost] = await accepted('15550180002')
  await until('its statuses all the same', () => receiver.statusesOf(lost.id).length === 3)
  for (const [number, count] of [
    ['15550180003', 0],
    ['15550180004', 1],
  ] as const) {
    const hung = send(number).then(
      () => 'answered',
      () => 'cut',
    )
    await until(`${number} is asked for`, async () => (await accepted(number)).length === count)
    t.equal(await Promise.race([hung, new Promise((resolve) => setTimeout(resolve, 100, 'hanging'))]), 'hanging')
    t.equal((await accepted(number)).length, count)
  }
  for (const status of [502, 502, 200]) t.equal((await send('15550180005')).status, status)
})

t.test('statuses that are lost, doubled, out of order, skipped or late', async (t) => {
  const { send, receiver } = await fixture(t)
  const expected: Record<string, string[]> = {
    15550180000: ['sent', 'delivered', 'read'],
    15550180011: ['sent', 'sent', 'delivered', 'delivered', 'read', 'read'],
    15550180012: ['read', 'delivered', 'sent'],
    15550180013: ['sent', 'read'],
    15550180015: ['sent', 'delivered'],
    15550180016: ['sent', 'failed'],
  }
  const none = sentId(await send('15550180010'))
  const sent_at = performance.now()
  const late = sentId(await send('15550180014'))
  for (const [number, statuses] of Object.entries(expected)) {
    const id = sentId(await send(number))
    await until(`the statuses of ${number}`, () => receiver.statusesOf(id).length >= statuses.length)
    t.same(
      receiver.statusesOf(id).map((each: Json) => each.status),
      statuses,
      number,
    )
  }
  t.same(receiver.statusesOf(none), [])
  await until('the late statuses', () => receiver.statusesOf(late).length > 0)
  t.ok(performance.now() - sent_at > 4_900, 'not before five seconds are over')
})

t.test('statuses overtake a slow answer', async (t) => {
  const { send, receiver } = await fixture(t)
  const reply = send('15550180007')
  await until('a status', () => receiver.statuses().length > 0)
  const [{ id }] = receiver.statuses()
  t.equal(sentId(await reply), id)
})

t.test('the manual has the table of magic recipients', (t) => {
  const manual = readFileSync('docs/simulator.md', 'utf8')
  for (const { number, outcome } of MAGIC_RECIPIENTS) t.ok(manual.includes(`| \`+${number}\` | ${outcome} |`), number)
  t.end()
})
