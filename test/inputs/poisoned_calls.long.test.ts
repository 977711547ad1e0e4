/** One message of a provider's call that cannot be stored does not undo the others. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createLog } from '../../http/server/log.ts'
import type { Answer, Json } from '../e2e/client.ts'
import { made, makeTenant, startWorld, type Tenant } from '../e2e/fixture.ts'
import { callAsProvider } from '../e2e/provider_call.ts'
import { checkOf } from './channel_calls.ts'
import { callAsPage, connectPage } from './page_account.ts'

// A node of its own, because its log has the faults that these tests cause.
const world = await startWorld(t, { log: createLog('fatal', process.stderr) })

/** An id that no index takes: a message with it cannot be stored. */
const poison = () => `wamid.${randomBytes(6_000).toString('hex')}`

const CALLS: Record<string, (tenant: Tenant) => Promise<{ channel_id: string; call(ids: string[]): Promise<Answer> }>> =
  {
    async whatsapp({ number }) {
      const messages = (ids: string[]) =>
        ids.map((id, n) => ({ id, from: `1555040${1000 + n}`, text: { body: `Text ${n}` } }))
      return {
        channel_id: number.channel_id,
        call: (ids) => callAsProvider(world, number, { messages: messages(ids) }),
      }
    },
    async messenger(tenant) {
      const account = await connectPage(world, tenant, 'messenger')
      const events = (ids: string[]) =>
        ids.map((mid, n) => ({ sender: { id: `8800${n}` }, message: { mid, text: `Text ${n}` } }))
      return { channel_id: account.channel_id, call: (ids) => callAsPage(world, account, events(ids)) }
    },
  }

for (const [channel, begin] of Object.entries(CALLS)) {
  t.test(
    `${channel}: the other messages of a call are stored, once, and the check tells of the one that is not`,
    async (t) => {
      const tenant = await makeTenant(world)
      const { channel_id, call } = await begin(tenant)
      const ids = ['m.first', poison(), 'm.third']
      for (let repeat = 0; repeat < 2; repeat++) {
        t.equal((await call(ids)).status, 500, 'the provider repeats the call')
        const stored = (await made(tenant.api('GET', 'messages'))).data
        t.same(stored.map(({ provider_message_id }: Json) => provider_message_id).sort(), ['m.first', 'm.third'])
      }
      const { ignored_callbacks } = await checkOf(world, channel_id)
      t.match(ignored_callbacks, [{ kind: 'field', name: 'unstored.message' }])
      t.equal((await call(['m.first', 'm.fourth'])).status, 200)
      t.equal((await made(tenant.api('GET', 'messages'))).data.length, 3)
      t.equal((await call([poison()])).status, 500, 'alone it fails as before')
    },
  )
}
