/** The commands for the webhooks of a project, with a running Parley. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, makeTenant } from '../e2e/fixture.ts'
import { type Finished, run, startHere } from './command.ts'
import { allEnded, failDeliveries } from './failed_deliveries.ts'

const RECEIVED = 'whatsapp.message.received'
/** More than a recovery queues at once. */
const COUNT = 250
const world = await joinWorld(t)
const { sink } = world
const tenant = await makeTenant(world)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: tenant.token }

const webhooks = (...args: string[]): Promise<Finished> => run(['webhooks', ...args], env)

function ended(id: string, count: number): Promise<Json[]> {
  return eventually(`${count} ended`, async () => {
    const all = await tenant.deliveries(id)
    return all.length === count && all.every(({ next_attempt_at }) => next_attempt_at === null) && all
  })
}

t.test('an empty list says so', async (t) => {
  const none = await makeTenant(world)
  const { id } = await none.subscribe('none', [RECEIVED])
  const own = { ...env, PARLEY_TOKEN: none.token }
  const [list, empty, empty_json, other_list, unknown, no_delivery, wrong] = await Promise.all([
    webhooks('list'),
    run(['webhooks', 'deliveries', id], own),
    run(['webhooks', 'deliveries', id, '--json'], own),
    run(['webhooks', 'deliveries', id, '--status', 'dead'], own),
    webhooks('show', id),
    run(['webhooks', 'delivery', id, `dlv_${'0'.repeat(24)}`], own),
    run(['webhooks', 'deliveries', id, '--event-type', 'no.such'], own),
  ])
  t.match(list, { code: 0, out: '', err: /^There are no webhooks: .*\n$/ })
  t.match(empty, { code: 0, out: '', err: 'There are no deliveries.\n' })
  t.match(empty_json, { code: 0, out: '[]\n', err: '' })
  t.match(other_list, { code: 0, out: '', err: 'No delivery is like that.\n' })
  t.match(unknown, { code: 1, out: '', err: /\(WEBHOOK_NOT_FOUND\)\.\n$/ }, 'of another project')
  t.match(no_delivery, { code: 1, out: '', err: /\(DELIVERY_NOT_FOUND\)\.\n$/ })
  t.match(wrong, { code: 1, out: '', err: /^event_type must be an event type.* \(VALIDATION_ERROR\)\.\n$/ })
})

t.test('subscriptions, deliveries and attempts are shown', async (t) => {
  sink.answer('looked', () => 400)
  const { id } = await tenant.subscribe('looked', [RECEIVED], { name: 'Orders', headers: { 'X-Key': 'a secret' } })
  for (let i = 0; i < 3; i++) await tenant.writes('+15557300001', `message ${i}`)
  const [newest, , oldest] = await ended(id, 3)
  const [list, list_json, show, all, some, one, one_json, none] = await Promise.all([
    webhooks('list'),
    webhooks('list', '--json'),
    webhooks('show', id),
    webhooks('deliveries', id, '--status', 'failed', '--event-type', RECEIVED, '--since', '1h'),
    webhooks('deliveries', id, '--limit', '2', '--json'),
    webhooks('delivery', id, newest!.id),
    webhooks('delivery', id, newest!.id, '--json'),
    webhooks('deliveries', id, '--until', '1h'),
  ])
  t.match(list, { code: 0, err: '' })
  t.match(list.out, /^webhook +state +last delivery \(UTC\) +name +url\n/)
  t.match(list.out, new RegExp(`^${id} {2}active +\\d{4}-\\d\\d-\\d\\d .* Orders +http://127.*/looked$`, 'm'))
  t.match(JSON.parse(list_json.out), [{ id, name: 'Orders', events: [RECEIVED] }])

  t.match(show.out, /^state +active\n/m)
  t.match(show.out, /^headers +X-Key\n/m)
  t.notMatch(show.out, 'a secret')
  t.match(show.out, /^recovery +none\n/m)

  t.match(all, { code: 0, err: '' })
  const rows = all.out.trimEnd().split('\n')
  t.match(rows[0], /^delivery +made \(UTC\) +event type +status +tries +error$/)
  t.match(rows[1], new RegExp(`^${newest!.id} {2}\\d\\d-\\d\\d [\\d:]{8} {2}${RECEIVED} {2}failed +1 +http_400$`))
  t.match(rows[3], oldest!.id)
  t.equal(rows.length, 4)
  t.match(some, { code: 0, err: 'There are more: a greater --limit shows them.\n' })
  t.equal(JSON.parse(some.out).length, 2)
  t.match(none, { code: 0, out: '', err: 'No delivery is like that.\n' })

  t.match(one.out, /^status +failed: http_400\n/m)
  t.match(one.out, /\n\n\d{4}-\d\d-\d\d [\d:]{8} #1 answered 400 in \d+ ms\n {4}thanks\n\nHeaders of #1:\n/)
  t.match(one.out, /^ {4}X-Key: \[redacted\]$/m)
  t.match(JSON.parse(one_json.out), { id: newest!.id, attempt_records: [{ attempt: 1, status_code: 400 }] })
})

t.test('the answer of a receiver cannot control the terminal', async (t) => {
  const server = createServer((_, response) => response.writeHead(400).end('\u001b[2Jgo\r\naway\u202e'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { id } = (await tenant.api('POST', 'webhooks', { name: 'Rude', url, events: [RECEIVED] })).body
  await tenant.writes('+15557300003', 'Hi')
  const [{ id: delivery_id }] = (await ended(id, 1)) as [Json]
  t.match((await webhooks('delivery', id, delivery_id)).out, /^ {4}go away$/m)
  await tenant.api('DELETE', `webhooks/${id}`)
})

t.test('one delivery is sent again, and the command waits for its end', async (t) => {
  let answer = 500
  sink.answer('again', () => answer)
  const { id } = await tenant.subscribe('again', [RECEIVED])
  await tenant.writes('+15557300002', 'again')
  const [dead] = (await ended(id, 1)) as [Json]
  t.match(dead, { status: 'dead', attempts: 5 })
  const waiting = await webhooks('redeliver', id, dead.id, '--wait')
  t.match(waiting, { code: 1, err: /It ended as dead: http_500\.\n$/ })
  t.match(waiting.out, /^#6 answered 500 in \d+ ms\n#7 (.*\n)*#10 answered 500 in \d+ ms\n$/)
  answer = 200
  const [works, unknown] = await Promise.all([
    webhooks('redeliver', id, dead.id, '--wait', '--json'),
    webhooks('redeliver', id, `dlv_${'0'.repeat(24)}`),
  ])
  // The command says so when it looks before the attempt has ended.
  t.match(works, { code: 0, err: /^(The next attempt is at \S+\.\n)?$/ })
  t.match(JSON.parse(works.out), { id: dead.id, status: 'success', attempts: 11 })
  t.match(unknown, { code: 1, out: '', err: /\(DELIVERY_NOT_FOUND\)\.\n$/ })
  t.match(await webhooks('redeliver', id, dead.id), { code: 0, out: `${dead.id} is sent again.\n`, err: '' })
  await tenant.api('PATCH', `webhooks/${id}`, { is_active: false })
  t.match(await webhooks('redeliver', id, dead.id), { code: 1, out: '', err: /\(WEBHOOK_INACTIVE\)\.\n$/ })
})

t.test('all failed deliveries are sent again, with progress', async (t) => {
  const tenant = await makeTenant(world)
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: tenant.token }
  const webhooks = (...args: string[]) => run(['webhooks', ...args], env)
  const id = await failDeliveries(world, tenant, COUNT)
  // A receiver that does not answer holds the recovery up after its first page.
  sink.answer('recovered', () => 'hang')
  const held = startHere(t, ['webhooks', 'recover', id, '--since', '1h'], { env })
  await held.until(/ of 250 \(/, 'err')
  await tenant.api('PATCH', `webhooks/${id}`, { is_active: false })
  const end = `cancelled after \\d+ deliveries: ${id} is switched off\\.\n$`
  t.match(await held.end(), { code: 1, out: '', err: new RegExp(end) })
  t.match(await webhooks('recover', id, '--since', '2h'), { code: 1, out: '', err: /\(WEBHOOK_INACTIVE\)\.\n$/ })
  await allEnded(tenant, id)

  sink.answer('recovered', () => 200)
  await tenant.api('PATCH', `webhooks/${id}`, { is_active: true })
  const { code, out, err } = await webhooks('recover', id, '--since', '2h')
  t.equal(code, 0, err)
  t.equal(out, `Queued again: ${COUNT}. \`parley webhooks deliveries ${id}\` tells what becomes of them.\n`)
  t.match(err, /^Sending again what failed from [\d:.TZ-]+ to [\d:.TZ-]+\. Ctrl-C does not end that\.\n/)
  t.match(err, /^(counting …|[█░]{24} \d+ of 250 \(\d+ %\))$/m)
  t.match((await webhooks('show', id)).out, /^recovery +completed, 250 of 250 queued again, /m)
  await eventually('none failed', async () => (await tenant.deliveries(id, '&status=failed')).length === 0)
})

t.test('a recovery of a time without failures says so', async (t) => {
  const { id } = await tenant.subscribe('fine', [RECEIVED])
  const range = ['--since', '2026-01-01', '--until', '2026-01-02T00:00:00+02:00']
  const [since, until] = ['2026-01-01T00:00:00.000Z', '2026-01-01T22:00:00.000Z']
  for (const what of ['first', 'the same range again']) {
    const { code, out } = await webhooks('recover', id, ...range)
    t.match({ code, out }, { code: 0, out: `Nothing made from ${since} to ${until} has failed.\n` }, what)
  }
  const [waited, unwaited] = [[], ['--no-wait']].map((more) => webhooks('recover', id, ...range, '--json', ...more))
  t.match(JSON.parse((await unwaited!).out), { accepted: true, since, until })
  t.match(await waited, { code: 0, err: '' })
  t.match(JSON.parse((await waited!).out), { status: 'completed', total: 0, requeued: 0 })
})

t.test('events of a polled subscription are fetched, left or acknowledged', async (t) => {
  const fields = { name: 'Fetched', mode: 'poll', events: [RECEIVED, 'crm.note.*'] }
  const { id } = (await tenant.api('POST', 'webhooks', fields)).body
  const [none, none_json, list, show] = await Promise.all([
    webhooks('poll', id),
    webhooks('poll', id, '--json', '--acknowledge'),
    webhooks('list'),
    webhooks('show', id),
  ])
  t.match(none, { code: 0, out: '', err: 'No event waits to be fetched.\n' })
  t.match(none_json, { code: 0, out: '', err: '' })
  t.match(list.out, new RegExp(`^${id} .* polled$`, 'm'))
  t.match(show.out, /^url +none: its events are polled\n/m)
  t.match(show.out, /^events +whatsapp\.message\.received\n +crm\.note\.\*$/m)

  for (const body of ['one', 'two', 'three']) await tenant.writes('+15557300009', body)
  await eventually('three deliveries', async () => (await tenant.deliveries(id)).length === 3)
  const left = await webhooks('poll', id, '--limit', '2')
  t.match(left.out, /^\d{4}-\d\d-\d\d .* whatsapp\.message\.received evt_\w+ \+15557300009 “one”\n.*“two”\n$/)
  t.match(left.err, /^There are more: --acknowledge goes on/)
  const events = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data.messages[0].text.body)
  const some = await webhooks('poll', id, '--limit', '2', '--acknowledge', '--json')
  t.strictSame([events(some.out), some.code], [['one', 'two'], 0])
  const rest = await webhooks('poll', id, '--acknowledge', '--json')
  t.strictSame(events(rest.out), ['three'])
  t.ok((await tenant.deliveries(id)).every(({ status }) => status === 'success'))
  t.strictSame(events((await webhooks('poll', id, '--since', '1h', '--json')).out), ['one', 'two', 'three'])

  const followed = startHere(t, ['webhooks', 'poll', id, '--follow'], { env })
  await tenant.writes('+15557300009', 'four')
  await followed.until(/“four”/)
  t.match(await followed.end('SIGINT'), { code: 0, err: '' })

  const pushed = await tenant.subscribe('not-polled', [RECEIVED])
  t.match(await webhooks('poll', pushed.id), { code: 1, out: '', err: /\(WEBHOOK_PUSHED\)\.\n$/ })
})

t.test('a subscription is created, and what signs is replaced', async (t) => {
  const none = await makeTenant(world)
  const webhooks = (...args: string[]) => run(['webhooks', ...args], { ...env, PARLEY_TOKEN: none.token })
  t.match(await webhooks('signing-keys'), { code: 0, out: '', err: /^There is no key/ })
  const url = sink.url('created')
  const neither = await webhooks('create', '--name', 'Orders', '--events', RECEIVED)
  t.match(neither, { code: 2, err: 'Give either --url or --poll.\n' })
  const args = ['--name', 'Orders', '--events', 'crm.ticket.*,whatsapp.message.received', '--format', 'cloudevents']
  const made = await webhooks('create', ...args, '--url', url, '--ed25519')
  t.match(made, { code: 0, out: /^wh_[0-9a-f]{24}\n$/, err: /: whsec_\S{44}\n$/ })
  const id = made.out.trim()
  const show = await webhooks('show', id)
  t.match(show.out, /^payload +full, as cloudevents\n(?:.*\n)*events +crm\.ticket\.\*\n/m)
  t.match(show.out, /^ed25519 +signed with the public key, too\n/m)
  const polled = await webhooks('create', '--name', 'Polled', '--events', '*', '--poll', '--json')
  t.match(JSON.parse(polled.out), { mode: 'poll', url: null, events: ['*'] })
  const wrong = await webhooks('create', '--name', 'Wrong', '--events', 'crm.tickets.*', '--poll')
  t.match(wrong, { code: 1, err: /^events\.0 is a pattern that no event type matches: crm\.\* has / })

  const rotated = await webhooks('rotate-secret', id, '--grace', '1h')
  t.match(rotated, { code: 0, out: /^whsec_\S{44}\n$/, err: /^The old secret signs too until \d{4}-/ })
  t.match((await webhooks('rotate-secret', id)).err, 'The old secret is no longer used.\n')
  t.match(await webhooks('rotate-secret', id, '--grace', '8d'), { code: 2, err: /a week at most/ })
  const key = await webhooks('rotate-signing-key', '--grace', '7d')
  t.match(key.out, /^whpk_\S{44}\n$/)
  const [newest, former] = JSON.parse((await webhooks('signing-keys', '--json')).out)
  t.match([newest, former], [{ public_key: key.out.trim(), valid_until: null }, { valid_until: String }])
  t.match((await webhooks('signing-keys')).out, /^public key +made \(UTC\) +signs until \(UTC\)\n.*further notice\n/)
})
