/** A call of a provider that several turns take, while the owner of the project is killed, ended and changes. */
import t from 'tap'
import { freePort, plainQuery, TEST_SECRET, tempDir } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { type Killable, startKillable } from './killable.ts'
import { callAsProvider } from './provider_call.ts'

const MESSAGES = 4_000
/** Messages that a turn takes. */
const OF_TURN = 1_000
const PEOPLE = ['15550401001', '15550401002', '15550401003', '15550401004']

t.setTimeout(1_200_000)

t.test(
  'each entry of a large call is stored and counted once, in its order, whatever happens between the turns',
  async (t) => {
    const env = () => ({ PARLEY_SECRET: TEST_SECRET })
    const one = await startKillable(t, { env })
    const tenant = await makeTenant(one)
    const { channel_id } = tenant.number
    const database = (statement: string) => plainQuery(one.config.database_url!, statement)
    const messages = Array.from({ length: MESSAGES }, (_, n) => ({
      id: `wamid.large.${n}`,
      from: PEOPLE[n % PEOPLE.length],
      text: { body: String(n) },
    }))
    const isTaken = async (world: Killable) => {
      const answer = await callAsProvider(world, tenant.number, { messages }).catch(() => undefined)
      return answer?.status === 200
    }
    const stored = async () => {
      const [row] = await database(`select count(*)::int as count from message where channel_id = '${channel_id}'`)
      return row!.count as number
    }
    const hasStored = (turns: number) =>
      eventually(`${turns} turns are over`, async () => (await stored()) >= turns * OF_TURN)

    const first = isTaken(one)
    await hasStored(1)
    await one.process().end('SIGKILL')
    await first
    await one.start()
    const other = await startKillable(t, {
      config: { ...one.config, port: await freePort(), data_dir: tempDir(t) },
      env,
    })
    const again = [isTaken(one), isTaken(other)]
    await hasStored(2)
    await one.process().end('SIGTERM')
    await Promise.all(again)
    await eventually('the call is taken', () => isTaken(other))

    t.equal(await stored(), MESSAGES)
    for (const from of PEOPLE) {
      const rows = await database(`select message->>'body' as body from message where "from" = '+${from}' order by id`)
      const own = messages.filter((message) => message.from === from).map(({ text }) => text.body)
      t.same(
        rows.map(({ body }) => body),
        own,
        'in the order of the call',
      )
    }
    const { data } = await made(() => other.http('GET', `${other.base_url}/v1/crm/tickets`, { token: tenant.token }))
    t.equal(data.length, PEOPLE.length)
    const counts: Json[] = await database(`select a.inbound_count, a.unread_count from ticket_activity a
    join ticket on ticket._id = a.ticket_id where ticket.project_id = '${tenant.project_id}'`)
    const each = MESSAGES / PEOPLE.length
    t.same(
      counts,
      PEOPLE.map(() => ({ inbound_count: each, unread_count: each })),
    )
    t.same(await database('select * from dead_letter'), [])
  },
)
