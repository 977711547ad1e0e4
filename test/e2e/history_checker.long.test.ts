/** The history checker finds every kind of fault that it looks for. */
import t, { type Test } from 'tap'
import { literal, openDatabase } from '../../storage/mod.ts'
import { eventually, sleep } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'
import { type Circumstances, HistoryChecker } from './history_checker.ts'
import { type Load, prepareLoad, runLoad } from './load.ts'

const world = await startWorld(t, { waits: { confirm_ms: 30_000, send_ms: 10_000 } })
const tenant = await makeTenant(world)
await prepareLoad(tenant)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const history_checker = new HistoryChecker(world, tenant, database)
await history_checker.overlook()

let loads = 0

/** Runs a short load, waits until it has settled and applies `harm`. Returns the kinds of the findings. */
async function found(
  t: Test,
  harm: (load: Load) => unknown,
  patience_ms = 10_000,
  circumstances: (load: Load) => Circumstances = () => ({}),
): Promise<string[]> {
  const load = runLoad(tenant, { name: `load ${++loads}`, recipients: 1, writers: 1 })
  await eventually('there is something', () => load.sends.length > 2 && load.inbound.length > 2)
  await load.stop()
  await eventually('all is read', async () => {
    const rows = await database.execute(`select count(*)::int as open from message where direction = 'outbound' and
      status <> 'read'`)
    return rows[0]!.open === 0
  })
  await sleep(300)
  await harm(load)
  const findings = await history_checker.findings(load, { patience_ms, ...circumstances(load) })
  for (const { kind, what } of findings) t.comment(`${kind}: ${what}`)
  return [...new Set(findings.map(({ kind }) => kind))].sort()
}

const fake = { id: `msg_${'f'.repeat(24)}`, to: '+15558000000', body: 'never sent' }

t.test('a load that went well has no finding, again and again', async (t) => {
  t.same(await found(t, () => {}), [])
  t.same(await found(t, () => {}), [])
})

t.test('an acknowledged message that is nowhere is lost', async (t) => {
  t.ok((await found(t, ({ sends }) => sends.push(fake), 1000)).includes('lost'))
  t.ok((await found(t, ({ inbound }) => inbound.push('wamid.never'), 1000)).includes('lost'))
})

t.test('a message that nobody asked for is doubled', async (t) => {
  t.ok((await found(t, ({ sends }) => sends.shift())).includes('doubled'))
})

t.test('a repeated event is doubled, and lost for the receiver that did not get it', async (t) => {
  const again = ({ sends }: Load) =>
    database.execute(`insert into event select 'evt_' || substr(id, 5, 8) || substr(md5(id), 1, 16), project_id, type, data, subscription_ids, now() from event
      where data ->> 'message_id' = ${literal(sends[0]!.id)} and type = 'whatsapp.message.read'`)
  t.ok((await found(t, again)).includes('doubled'))
})

t.test('a delivery that is gone is lost', async (t) => {
  const gone = () => database.execute(`delete from delivery where id = (select max(id) from delivery)`)
  t.same(await found(t, gone), ['lost'])
})

t.test('two messages that changed places are reordered', async (t) => {
  t.same(await found(t, ({ sends }) => sends.reverse()), ['reordered'])
})

/** Deletes an acknowledged message, as a server that took over without the commit would. */
function forget(load: Load): void {
  load.sends.push(fake)
  load.requests.push({ what: fake.body, begun: Date.now() - 10, ended: Date.now(), tries: 1 })
  const inbound = 'wamid.never'
  load.inbound.push(inbound)
  load.requests.push({ what: inbound, begun: Date.now() - 10, ended: Date.now(), tries: 1 })
}

t.test('a message acknowledged while the standby was cut off may be lost, and no other may', async (t) => {
  const now = () => ({ lost: { from: Date.now() - 1000, to: Date.now() } })
  t.same(await found(t, forget, 1000, now), [])
  const before = () => ({ lost: { from: Date.now() - 60_000, to: Date.now() - 30_000 } })
  t.same(await found(t, forget, 1000, before), ['lost', 'stuck'])
})

t.test('a message sent twice is doubled, unless the server that took over lacks the first send', async (t) => {
  const again = async ({ sends }: Load) => {
    const { id, to, body } = sends[0]!
    const { phone_number_id, access_token } = tenant.number
    const url = `${world.simulator_url}/v23.0/${phone_number_id}/messages`
    const message = { messaging_product: 'whatsapp', to: to.slice(1), type: 'text', text: { body } }
    const answer = await world.http('POST', url, {
      json: { ...message, biz_opaque_callback_data: id },
      token: access_token,
    })
    t.equal(answer.status, 200, answer.text)
  }
  t.ok((await found(t, again)).includes('doubled'))
  const forgotten = ({ requests }: Load) => ({ lost: { from: requests[0]!.begun, to: Date.now() - 1500 } })
  t.same(await found(t, (load) => sleep(2500).then(() => again(load)), 10_000, forgotten), [])
})

t.test('clocks that differ hide nothing', async (t) => {
  const skewed = () => ({ skewed: true })
  t.same(await found(t, () => {}, 10_000, skewed), [])
  const moved = ({ sends }: Load) =>
    database.execute(`update message set created_at = now() + interval '31 days' where id = ${literal(sends[0]!.id)}`)
  t.same(await found(t, moved, 10_000, skewed), [])
  t.ok((await found(t, ({ sends }) => sends.shift(), 10_000, skewed)).includes('doubled'))
  t.same(await found(t, () => {}), [], 'a finding is reported once')
})

t.test('an unfinished message is stuck', async (t) => {
  const undone = ({ sends }: Load) =>
    database.execute(`update message set status = 'sent' where id = ${literal(sends[0]!.id)}`)
  t.same(await found(t, undone), ['stuck'])
})
