/**
 * The node is killed between any two steps of a send: before a commit reaches PostgreSQL; after the commit happened and
 * before the node knows; before the call of the provider; before the provider takes the message; after the provider
 * took it and before the node knows. The client repeats its request under the same key. In the end there is one
 * message, which the provider has taken once.
 *
 * Each run takes three of the moments, drawn from a printed seed; PARLEY_TEST_ALL=1 takes all of them.
 */
import t from 'tap'
import { chance } from '../faults/chance.ts'
import { type Between, proxied } from '../runtime/support/proxy.ts'
import { eventually } from './client.ts'
import { makeTenant } from './fixture.ts'
import { type Killable, startKillable } from './killable.ts'

const COMMIT = 'lane_fence('
const SEND = '"biz_opaque_callback_data"'
/**
 * The commits of a send: the project's, the channel's before its call and after, the project's again, and those of
 * three callbacks.
 */
const COMMITS = 6

type Moment = { where: 'database' | 'provider'; number: number; when: 'before' | 'after' }
const moments: Moment[] = (['before', 'after'] as const).flatMap((when) => [
  ...Array.from({ length: COMMITS }, (_, i): Moment => ({ where: 'database', number: i + 1, when })),
  { where: 'provider', number: 1, when } as const,
])

const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)
const random = chance(seed)
const chosen = process.env.PARLEY_TEST_ALL ? moments : moments.toSorted(() => random() - 0.5).slice(0, 3)

let armed: Moment | undefined
let seen = 0
let world: Killable
let died: Promise<unknown> | undefined

/** Kills the node at the chosen moment, and lets nothing more through. */
function between(where: Moment['where'], mark: string): Between {
  let marked = false
  const kill = () => {
    armed = undefined
    died = world.process().end('SIGKILL')
  }
  return {
    toServer(piece, { server }) {
      if (armed?.where === where && piece.includes(mark) && ++seen === armed.number) {
        if (armed.when === 'before') return kill()
        marked = true
      }
      server.write(piece)
    },
    toClient(piece, { client }) {
      if (marked) {
        marked = false
        return kill()
      }
      client.write(piece)
    },
  }
}

t.test('a send outlives the death of its node between any two of its steps, and happens once', async (t) => {
  let provider_url = ''
  world = await startKillable(t, {
    // On a busy machine the callbacks of a killed node take seconds to arrive again.
    waits: { confirm_ms: 8000, send_ms: 2000 },
    async env({ database_url }, simulator_url) {
      provider_url = await proxied(t, simulator_url, between('provider', SEND))
      return { PARLEY_PARTITIONS: '4', DATABASE_URL: await proxied(t, database_url!, between('database', COMMIT)) }
    },
  })
  // The provider's callbacks go straight to the node. Its own calls of the provider pass through here.
  const tenant = await makeTenant({ ...world, simulator_url: provider_url })
  t.comment(`PARLEY_TEST_SEED=${seed}`)
  for (const [n, moment] of chosen.entries()) {
    const to = `+155501003${String(n).padStart(2, '0')}`
    const name = `killed ${moment.when} ${moment.where === 'database' ? `commit ${moment.number}` : 'the provider took it'}`
    await tenant.writes(to, 'Hi')
    seen = 0
    died = undefined
    armed = moment
    const headers = { 'idempotency-key': name }
    const send = () => tenant.send(to, {}, { headers }).catch(() => undefined)
    const [first] = await Promise.all([send(), eventually(name, () => died)])
    await died
    await world.start()
    const again = await eventually(`${name}: it is answered`, async () => {
      const answer = await send()
      return answer?.status === 202 && answer
    })
    if (first?.status === 202) t.equal(again.text, first.text, 'the repeated request gets the first answer')
    await tenant.message(again.body.id, 'read')
    const sent = (await tenant.sent()).filter(({ recipient }) => `+${recipient}` === to)
    t.equal(sent.length, 1, name)
  }
  const { body } = await tenant.api('GET', 'messages?channel=whatsapp&limit=200')
  const outbound = body.data.filter(({ direction }: { direction: string }) => direction === 'outbound')
  t.equal(outbound.length, chosen.length, 'no message was made twice')
})
