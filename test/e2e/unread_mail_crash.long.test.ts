/** The owner of a project is killed, stopped and ended while visitors are to get e-mails about unread messages. */
import t from 'tap'
import { partitionOf } from '../../runtime/mod.ts'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { eventually, type Json, patiently } from './client.ts'
import { type Killable, startKillable } from './killable.ts'
import { openShop } from './unread_mail_client.ts'

const VISITORS = 10

type Mail = { id: string; to: string; status: string; confirmed: boolean; body: string }

t.setTimeout(1_200_000)

t.test('what is unread is mailed once to each visitor, whatever happens to the owner', async (t) => {
  const env = () => ({ PARLEY_SECRET: TEST_SECRET })
  const one = await startKillable(t, { env })
  const shop = await openShop(t, one)
  const { database, tenant } = shop
  const visitors: Awaited<ReturnType<typeof shop.visit>>[] = []
  for (let n = 0; n < VISITORS; n++) visitors.push(await shop.visit({ email: `visitor-${n}@example.com` }))
  const say = async (body: string) => {
    for (const visitor of visitors) await visitor.send(body)
  }
  /** The stored e-mails of each visitor, in their order. */
  const stored = async () => {
    const rows = await database.execute<Mail>(`select id, "to", status, confirmed, message->>'body' as body from message
      where project_id = '${tenant.project_id}' and message->>'unread_up_to' is not null order by id`)
    return visitors.map(({ email }) => (rows as Mail[]).filter(({ to }) => to === email))
  }
  const isAsked = async () => (await shop.timers()).some(({ is_ahead }) => is_ahead)
  const isMailed = async () => (await stored()).some((mails) => mails.length > 0)
  const ends = async (times: number) => {
    const all = await eventually(`all have mail ${times}`, async () => {
      await shop.turnBack()
      const all = await stored()
      return all.every((mails) => mails.length >= times && mails.every(({ status }) => status === 'sent')) && all
    })
    t.same(
      all.map((mails) => mails.length),
      visitors.map(() => times),
    )
  }

  await say('First')
  for (const comes of [isAsked, isMailed]) {
    await shop.turnBack()
    await eventually('the moment of the kill', comes)
    await one.process().end('SIGKILL')
    await one.start()
  }
  await ends(1)

  await say('Second')
  await shop.turnBack()
  await eventually('the moment of the end', isAsked)
  t.equal(await one.process().end('SIGTERM'), 0)
  await one.start()
  await ends(2)

  const other = await startKillable(t, { config: { ...one.config, port: await freePort(), data_dir: tempDir(t) }, env })
  const ownerOf = async (world: Killable): Promise<Killable | undefined> => {
    const { nodes, partitions } = (await patiently(() => world.operator('GET', 'cluster'))).body as Json
    const { owner } = partitions[partitionOf(`project/${tenant.project_id}`, partitions.length)]
    const pid = nodes.find(({ id }: Json) => id === owner)?.pid
    return [one, other].find((node) => node.process().pid === pid)
  }
  await say('Third')
  await shop.turnBack()
  await eventually('the moment of the stop', isAsked)
  const owner = (await eventually('the owner', () => ownerOf(other)))!
  const next = owner === one ? other : one
  process.kill(owner.process().pid, 'SIGSTOP')
  await eventually('the other one is the owner', async () => (await ownerOf(next)) === next)
  await ends(3)
  process.kill(owner.process().pid, 'SIGCONT')
  for (const node of [owner, next]) t.equal(await node.process().end('SIGTERM'), 0, node.process().said())
  const received = (id: string) => shop.smtp.mails.filter(({ headers }) => headers['message-id']!.startsWith(`<${id}.`))
  for (const mails of await stored()) {
    t.same(
      mails.map(({ body }) => body.match(/First|Second|Third/g)?.join()),
      ['First', 'Second', 'Third'],
    )
    for (const { id, confirmed } of mails) {
      const times = received(id).length
      // One that was under way when its node died is in doubt, says so, and is not sent again.
      t.ok(times === 1 || (times === 0 && !confirmed), `${id} came ${times} times, and says confirmed: ${confirmed}`)
    }
  }
  t.same(await database.execute('select * from dead_letter'), [])
})
