/** Erasures, slots of appointments and ledgers stay exact from two nodes at once. */
import type { Test } from 'tap'
import { type Answer, eventually, type Json, patiently } from '../client.ts'
import { type ClusterNode, statuses } from '../cluster.ts'
import { made, makeTenant } from '../fixture.ts'
import { atOnce, database, inbound, nodes, somewhen, text, upTo, world } from './nodes.ts'

/** An erasure that both nodes are asked for, while the person writes and is written to. */
export async function erasureIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const wa_id = '15550180007'
  const first = await patiently(() => inbound(nodes[0]!, tenant, 'wamid.erased.first', wa_id))
  t.equal(first.status, 200)
  const contacts = () =>
    database.execute<{ _id: string }>('select _id from contact where project_id = ?', [tenant.project_id])
  const [known] = await contacts()
  const begin = { kind: 'contact', id: known!._id, confirm: true }
  const answers = await atOnce(40, async (node, n) => {
    await somewhen()
    if (n % 8 < 2) return patiently(() => node.operator('POST', 'erasures', begin))
    if (n % 8 < 5) return patiently(() => inbound(node, tenant, `wamid.erased.${n}`, wa_id))
    const headers = { 'idempotency-key': `erased ${n}` }
    const send = { channel: 'whatsapp', to: `+${wa_id}`, message: text(`${n}`) }
    return patiently(() => node.call(tenant.token, 'POST', 'messages', send, { headers }))
  })
  const begun = answers.filter((_, n) => n % 8 < 2)
  // The contact may be gone when a later request comes, or while it is on its way.
  t.same(
    [...new Set(begun.map(({ status }) => status))].filter((status) => ![202, 404].includes(status)),
    [],
  )
  const ids = new Set(begun.flatMap(({ status, body }) => (status === 202 ? [body._id as string] : [])))
  let erased = 0
  for (const id of ids) {
    const proof: Json = await eventually(`the erasure ${id} has ended`, async () => {
      const { body } = await nodes[0]!.operator('GET', `erasures/${id}`)
      return body?.status === 'done' && body
    })
    erased += proof.counts.message ?? 0
  }
  const [left] = await database.execute<{ messages: number; strange: number }>(
    `select count(*)::int as messages, count(*) filter (where chat_user not in (
      select _id from contact where project_id = message.project_id))::int as strange
    from message where project_id = ?`,
    [tenant.project_id],
  )
  t.equal(left!.messages + erased, 31, 'each message was erased, or belongs to the new contact')
  t.equal(left!.strange, 0)
  const people = await contacts()
  t.ok(people.length <= 1 && people[0]?._id !== known!._id, 'there is one new contact at most')
}

/**
 * `appointment_slot` and `appointment_number`: fifty requests for one slot of a user, from two projects of the company;
 * twenty confirmations of one appointment; and numbers without gaps.
 */
export async function appointmentsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { company_id, project_id, user_id: assigned_to } = tenant
  const second = (await made(world.operator('POST', 'projects', { company_id, name: 'Second' })))._id
  const projects = [project_id, second]
  const at = (hour: number) => ({ starts_at: `2030-01-01T${hour}:00:00Z`, ends_at: `2030-01-01T${hour + 1}:00:00Z` })
  const book = (node: ClusterNode, n: number, fields: Json) => {
    const appointment = { project_id: projects[Math.floor(n / nodes.length) % 2], ...fields }
    return patiently(() => node.operator('POST', 'appointments', appointment))
  }
  /** A client who is told to come again may find the effect of its own first request. */
  const isOne = (answers: Answer[], won: number, code: string, what: string) => {
    t.ok((statuses(answers)[won] ?? 0) <= 1, `${what}: ${JSON.stringify(statuses(answers))}`)
    const refused = answers.filter(({ status }) => status !== won)
    for (const { status, body } of refused) t.same([status, body.error?.code], [409, code])
  }
  const racers = await atOnce(50, async (node, n) => {
    await somewhen()
    return book(node, n, { ...at(10), assigned_to })
  })
  isOne(racers, 201, 'APPOINTMENT_SLOT_TAKEN', 'one of fifty gets the slot')
  const held = await database.execute<{ id: string }>('select id from appointment where assigned_to = ?', [assigned_to])
  t.equal(held.length, 1)
  const races = await Promise.all(
    upTo(8).map((race) => atOnce(4, (node, n) => book(node, n, { ...at(11 + race), assigned_to }))),
  )
  for (const answers of races) isOne(answers, 201, 'APPOINTMENT_SLOT_TAKEN', 'one of four')
  const { id } = await made(patiently(() => world.operator('POST', 'appointments', { project_id, ...at(10) })))
  const confirmations = await atOnce(20, (node) =>
    patiently(() => node.call(tenant.token, 'POST', `scheduling/appointments/${id}/confirm`)),
  )
  isOne(confirmations, 200, 'APPOINTMENT_NOT_PENDING', 'one of twenty confirms')
  await atOnce(30, (node, n) => book(node, n, at(10)))
  for (const project of projects) {
    const rows = await database.execute<{ number: number }>(
      'select number from appointment where project_id = ? order by number',
      [project],
    )
    t.same(
      rows.map(({ number }) => number),
      rows.map((_, n) => n + 1),
      'numbers have no gaps',
    )
  }
}

/**
 * `loyalty_membership_customer`, `loyalty_membership_serial_number`, `loyalty_entry_number`, `loyalty_entry_key` and
 * `loyalty_entry_expiry`: tills at both nodes move one membership, which expires meanwhile.
 */
export async function ledgerIsExact(t: Test): Promise<void> {
  const { company_id, project_id } = await makeTenant(world)
  const rules = (expiration_days: number) => ({ rules: { points: { expiration_days } } })
  const program = await made(() =>
    world.operator('POST', 'programs', { project_id, name: 'Club', type: 'points', ...rules(30) }),
  )
  const enrol = (node: ClusterNode, fields: Json) =>
    patiently(() => node.operator('POST', 'memberships', { program_id: program._id, ...fields }))
  const customers: string[] = []
  for (const n of upTo(10)) {
    customers.push((await made(() => world.operator('POST', 'customers', { company_id, full_name: `${n}` })))._id)
  }
  const enrolled_at = new Date(Date.now() - 10 * 86_400_000).toISOString()
  const enrolled = await atOnce(10, (node) => enrol(node, { customer_id: customers[0], enrolled_at }))
  t.same(statuses(enrolled), { 201: 1, 409: 9 }, 'one membership of a customer')
  const cards = await atOnce(9, (node, n) => enrol(node, { customer_id: customers[n + 1], serial_number: 'A-1' }))
  t.same(statuses(cards), { 201: 1, 409: 8 }, 'one membership with a serial number')
  const { _id } = enrolled.find(({ status }) => status === 201)!.body
  const earn = { kind: 'earn', amount: 3 }
  const earned = Promise.withResolvers<void>()
  const answers = await atOnce(100, async (node, n) => {
    await somewhen()
    // In the middle, both nodes are told that the points end after less time than the customer is a member.
    if (n === 50 || n === 51) {
      // A membership without points expires without an entry.
      await earned.promise
      return patiently(() => node.operator('PATCH', `programs/${program._id}`, rules(5)))
    }
    const movement = { ...earn, key: `receipt ${Math.floor(n / 4)}` }
    const answer = await patiently(() => node.operator('POST', `memberships/${_id}/ledger`, movement))
    earned.resolve()
    return answer
  })
  t.equal(answers.filter(({ status }) => status === 201).length, 98)
  const ledger = async (): Promise<Json[]> =>
    (await made(() => nodes[0]!.operator('GET', `memberships/${_id}/ledger?limit=200`))).data.reverse()
  const has_expired = (entries: Json[]) => entries.some(({ kind }) => kind === 'expire')
  const entries = await eventually('the points expire', async () => {
    const entries = await ledger()
    return has_expired(entries) && entries
  })
  t.same(
    entries.map(({ number }) => number),
    upTo(26).map((n) => n + 1),
    'twenty-five receipts and one expiry, without a gap',
  )
  let sum = 0
  for (const { amount, balance_after } of entries) {
    sum += amount
    t.equal(balance_after, sum)
  }
  const { body } = await nodes[1]!.operator('GET', `memberships/${_id}`)
  t.match(body, { balance_points: sum, entry_count: 26 })
}
