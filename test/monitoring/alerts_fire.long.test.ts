/** Real faults of two nodes make a real Prometheus fire the alerts, with the rules as they are but for shorter times. */
import t from 'tap'
import { eventually, type Json, sleep } from '../e2e/client.ts'
import { made, makeTenant } from '../e2e/fixture.ts'
import { startJudgedCluster } from './judged_cluster.ts'
import { findPrometheus } from './prometheus.ts'

const programs = await findPrometheus()
if (programs) await judge(programs)
else t.pass('prometheus is neither installed here nor to be had from Debian')

async function judge(programs: NonNullable<Awaited<ReturnType<typeof findPrometheus>>>): Promise<void> {
  const { postgres, nats, sink, places, nodes, start, prometheus, world, tenant, database, real, fires, calm } =
    await startJudgedCluster(t, programs)

  t.test('a calm cluster under a little load makes nothing fire', async (t) => {
    await tenant.subscribe('calm', ['whatsapp.message.sent'])
    for (let n = 0; n < 10; n++) {
      await made(tenant.send('+15550280000'))
      await sleep(200)
    }
    await eventually('the sends are counted', async () => {
      const [sum] = await prometheus.query('sum(parley_sends_total{outcome="accepted"})')
      return Number(sum?.value[1]) >= 10
    })
    await calm()
    t.same(await prometheus.query('up == 0'), [])
  })

  t.test('receivers that fail, are gone or slow', async (t) => {
    sink.answer('broken', () => 500)
    sink.answer('gone', () => 410)
    sink.answer('slow', () => 'hang')
    await tenant.subscribe('broken', ['crm.contact.created'])
    await tenant.subscribe('gone', ['crm.contact.created'], { disable_on_410: true })
    await tenant.subscribe('slow', ['crm.contact.created'], { concurrency: 1 })
    for (let n = 0; n < 3; n++) {
      await made(tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: `receiver ${n}` }))
    }
    await eventually('the slow one has deliveries that wait', async () => {
      const rows = await database.execute(`update delivery set next_attempt_at = now() - interval '10 minutes'
      where status = 'pending' and next_attempt_at is not null returning id`)
      return rows.length > 0
    })
    await fires(t, 'ParleyDeliveriesGivenUp', 'ParleySubscriptionDisabled', 'ParleyDeliveriesLate')
    const { data } = (await tenant.api('GET', 'webhooks')).body
    for (const { id } of data as Json[]) await made(tenant.api('DELETE', `webhooks/${id}`))
    await calm()
  })

  t.test('a provider with a fault, and messages that wait for it', async (t) => {
    const { phone_number_id } = tenant.number
    await made(world.control('POST', 'faults', { match: { phone_number_id }, times: 1000, error: { code: 131000 } }))
    for (let n = 0; n < 20; n++) await made(tenant.send(`+155502801${String(n).padStart(2, '0')}`))
    await fires(t, 'ParleySendsFail')
    await database.execute(`update dispatch set created_at = now() - interval '1 hour'`)
    await fires(t, 'ParleySendsWait')
    await made(world.control('DELETE', 'faults'))
    await calm()
  })

  t.test('credentials that the provider rejects', async (t) => {
    const other = await makeTenant(world)
    const { channel_id, ...account } = other.number
    const { data } = (await world.control('GET', 'numbers')).body
    const { display_phone_number } = (data as Json[]).find(
      ({ phone_number_id }) => phone_number_id === account.phone_number_id,
    )!
    await made(world.control('PUT', 'numbers', { ...account, display_phone_number, access_token: 'EAAanother' }))
    await other.send('+15550280001')
    await fires(t, 'ParleyChannelDisconnected')
    await made(world.operator('PATCH', `channels/${channel_id}`, { is_active: false }))
    await calm()
  })

  t.test('records that do not fit', async (t) => {
    await database.execute(`create function refuse_dispatch() returns trigger language plpgsql as $$
    begin raise exception 'no room' using errcode = '23514'; end $$`)
    await database.execute(
      'create trigger refuse before insert on dispatch for each row execute function refuse_dispatch()',
    )
    await Promise.all(Array.from({ length: 60 }, (_, n) => tenant.send(`+1555029${String(n).padStart(4, '0')}`)))
    await fires(t, 'ParleyTurnsFail', 'ParleyManyDeadLetters', 'ParleyDeadLetters')
    await database.execute(`update dead_letter set parked_at = now() - interval '85 days'`)
    await fires(t, 'ParleyDeadLettersForgotten')
    await database.execute('drop trigger refuse on dispatch; drop function refuse_dispatch')
    await made(world.operator('POST', 'dead-letters/drop', { confirm: true }))
    await calm()
  })

  t.test('a token that expires soon', async (t) => {
    const expires_at = new Date(Date.now() + 3 * 86_400_000).toISOString()
    await made(world.operator('PATCH', `tokens/${tenant.token_id}`, { expires_at }))
    await fires(t, 'ParleyTokensExpire')
    await made(world.operator('PATCH', `tokens/${tenant.token_id}`, { expires_at: null }))
    await calm()
  })

  t.test('a session that holds a row', async (t) => {
    const { _id } = await made(tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: 'held' }))
    const session = await database.session()
    await session.query(`begin; select from contact where _id = '${_id}' for update`)
    const written = tenant.api('PATCH', `contacts/${_id}`, { name: 'Another' }).catch(() => {})
    await fires(t, 'ParleyTurnsBlocked')
    await session.query('rollback')
    await session.end()
    await written
    await calm()
  })

  t.test('a process that gets no time', async (t) => {
    const stopped = nodes[1]!.pid
    let has_fired = false
    const stutter = (async () => {
      while (!has_fired) {
        process.kill(stopped, 'SIGSTOP')
        await sleep(700)
        process.kill(stopped, 'SIGCONT')
        await sleep(20)
      }
    })()
    try {
      await fires(t, 'ParleyEventLoopLate')
    } finally {
      has_fired = true
      await stutter
    }
    await calm()
  })

  t.test('a broker that is away', async (t) => {
    await nats.kill()
    await fires(t, 'ParleyBrokerAway', 'ParleyNodeWarns')
    await nats.start()
    await calm()
  })

  t.test('a database that is away', async (t) => {
    await postgres.kill()
    const asking = setInterval(() => void tenant.api('GET', 'contacts').catch(() => {}), 200)
    try {
      await fires(t, 'ParleyDatabaseAway', 'ParleyNodeNotReady', 'ParleyFiguresMissing', 'ParleyRequestsFailing')
    } finally {
      clearInterval(asking)
    }
    await postgres.start()
    await calm()
  })

  t.test('a node that dies, and one that is started again and again', async (t) => {
    await nodes[1]!.end('SIGKILL')
    await fires(t, 'ParleyNodeDown')
    for (let n = 0; n < 3; n++) {
      await start(1)
      const [port] = [places[1]!.metrics_port]
      const started = `process_start_time_seconds{instance="127.0.0.1:${port}"}`
      await eventually('the start is seen', async () => {
        const [seen] = await prometheus.query(`changes(${started}[60s])`)
        return Number(seen?.value[1]) > n
      })
      if (n < 2) await nodes[1]!.end('SIGKILL')
    }
    await fires(t, 'ParleyNodeRestarts')
  })

  t.test('how many alerts a real fault has made fire', async (t) => {
    t.ok(real.size >= 21, [...real].join(', '))
  })
}
