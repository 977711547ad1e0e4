/** A channel that had senders refused lets them in again as soon as it has room, whatever was forgotten meanwhile. */
import t from 'tap'
import { channelActor } from '../../../actors/channel/actor.ts'
import { missingChannel } from '../../../actors/channel/state.ts'
import { FullReceivers } from '../../../runtime/messages/full_receivers.ts'

const config = {
  id: 'c',
  project_id: 'p',
  channel_type: 'whatsapp',
  provider: 'simulator',
  is_active: true,
  status: 'connected',
  status_reason: null,
  messages_per_second: null,
  credentials: {},
}

/** Returns a state as it is loaded, with `count` waiting messages. None of them may go yet. */
function loaded(count: number) {
  const state = { ...missingChannel(), config, next_probe: 1, next_due: 1, paused_until: 8e15, next_number: count + 1 }
  for (let n = 1; n <= count; n++) {
    state.queue.add({ message_id: `m${n}`, recipient: `r${n}`, number: n, state: 'queued', attempts: 0 } as never)
  }
  return state
}

t.test('a full channel lets senders in again when it is loaded anew with fewer messages', async (t) => {
  const bus = { publish: () => {}, listen: async () => () => {} }
  const full = new FullReceivers(bus, { monotonic: () => 0 } as never, 4)
  const { receive } = channelActor({ database: {}, providers: { of: () => undefined }, max_waiting: 20 } as never)
  const turnOf = (state: object) =>
    ({
      key: 'c',
      now: new Date(),
      state,
      records: { row: null, more: [], beyond: new Map(), ended: new Set(), timed: true },
      insert() {},
      update() {},
      remove() {},
      tell() {},
      gather() {},
      timer() {},
      work() {},
      soon() {},
      awake() {},
      after() {},
      full: (yes: boolean) => full.set('channel/c', 0, yes),
    }) as never
  receive.flow!(turnOf(loaded(20)), { type: 'flow' })
  t.ok(full.isFull('channel/c'), 'as many wait as may')
  // Two messages are gone, and the state was thrown away, as after a fault or a commit in doubt.
  const anew = loaded(18)
  receive.wake!(turnOf(anew), { type: 'wake' })
  receive.withdraw!(turnOf(anew), { type: 'withdraw', message_ids: Array.from({ length: 18 }, (_, n) => `m${n + 1}`) })
  t.equal(anew.queue.size, 0, 'nothing waits any more')
  t.notOk(full.isFull('channel/c'), 'senders are let in again')
})
