/**
 * A node is killed while fifty tills write to a few ledgers and memberships expire. Each till repeats its movements
 * until they are answered. In the end every movement is there once, and every ledger adds up.
 */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const KILLS = 2
const TILLS = 50
const MEMBERS = 4
const EXPIRING = 40

const world = await startKillable(t)
const { operator } = world
const { company_id, project_id } = await makeTenant(world)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const newProgram = (days: number): Promise<Json> =>
  made(
    operator('POST', 'programs', {
      project_id,
      name: 'Club',
      type: 'points',
      rules: { points: { expiration_days: days } },
    }),
  )

async function newMember(program_id: string, fields: Json = {}): Promise<string> {
  const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Ana' }))
  return (await made(operator('POST', 'memberships', { program_id, customer_id: customer._id, ...fields })))._id
}

t.test('kills lose and double no movement and no expiry', async (t) => {
  const { _id: steady } = await newProgram(0)
  const { _id: ending } = await newProgram(30)
  const members = await Promise.all(Array.from({ length: MEMBERS }, () => newMember(steady)))
  const enrolled_at = new Date(Date.now() - 10 * 86_400_000).toISOString()
  const mortal = await Promise.all(Array.from({ length: EXPIRING }, () => newMember(ending, { enrolled_at })))
  for (const id of mortal) await made(operator('POST', `memberships/${id}/ledger`, { kind: 'earn', amount: 10 }))

  let stopped = false
  const written: number[] = []
  /** Writes movements until the kills are over, the last one included. */
  const till = async (n: number) => {
    for (let round = 0; !stopped; round++) {
      const movement = { kind: 'adjust', amount: 1 + (n % 3), key: `${n} ${round}` }
      await eventually('the movement is answered', async () => {
        const answer = await operator('POST', `memberships/${members[n % MEMBERS]}/ledger`, movement).catch(
          () => undefined,
        )
        return answer?.status === 201
      })
      written.push(movement.amount)
    }
  }
  const tills = Array.from({ length: TILLS }, (_, n) => till(n))
  for (let kill = 0; kill < KILLS; kill++) {
    const before = written.length
    await eventually('the tills are at work', () => written.length > before + TILLS)
    // The expiries begin under way to the first kill.
    if (kill === 0) {
      const rules = { points: { expiration_days: 5 } }
      await made(operator('PATCH', `programs/${ending}`, { rules }))
    }
    await world.process().end('SIGKILL')
    await world.start()
  }
  stopped = true
  await Promise.all(tills)

  await eventually('all have expired', async () => {
    const [row] = await database.execute<{ left: number }>(
      'select count(*)::integer as left from loyalty_membership where program_id = ? and expired_at is null',
      [ending],
    )
    return row!.left === 0
  })
  const ledgers = await database.execute<Json>(`
    select program_id, entry_count = count(e) and entry_count = max(e.number) as numbered,
      balance_points = sum(e.amount)
        and balance_points = (array_agg(e.balance_after order by e.number desc))[1] as adds_up,
      count(e) filter (where e.kind = 'expire')::integer as expiries, balance_points
    from loyalty_membership m join loyalty_entry e on e.membership_id = m._id group by m._id`)
  t.equal(ledgers.length, MEMBERS + EXPIRING)
  t.ok(ledgers.every(({ numbered, adds_up }) => numbered && adds_up))
  const totals = (id: string) => ledgers.filter(({ program_id }) => program_id === id)
  t.equal(
    totals(steady).reduce((sum, { balance_points }) => sum + balance_points, 0),
    written.reduce((sum, amount) => sum + amount, 0),
    `${written.length} movements, each once`,
  )
  t.ok(totals(ending).every(({ expiries, balance_points }) => expiries === 1 && balance_points === 0))
})
