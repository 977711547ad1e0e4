/** Early messages (I16 to I18) in a mailbox and in a lane, without a node. */
import t from 'tap'
import { Activation } from '../../runtime/actor/activation.ts'
import type { ActorKind } from '../../runtime/actor/actor.ts'
import { EarlyMessage } from '../../runtime/actor/early_message.ts'
import type { Entry } from '../../runtime/actor/entry.ts'
import { PendingTurn } from '../../runtime/actor/pending_turn.ts'
import { Lane, type LaneOwner } from '../../runtime/commit/lane.ts'
import type { Commit } from '../../runtime/commit/store.ts'
import { silentLog } from '../../runtime/log.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { link } from './support/early_links.ts'

t.test('I18 a type whose reads need the rows of an early message takes a turn of its own', async (t) => {
  const kind = { ...link, early: { note: ['look'] } } as unknown as ActorKind
  const places = { admit() {}, free() {}, passOver() {}, comesAgain() {}, earlyEnded() {} }
  const entry = (type: string): Entry => {
    if (type !== 'note') return { message: { type }, origin: 'tell', attempts: 0 }
    const early = new EarlyMessage({ depth: 0, attempt: 0 }, places, { type }, 1)
    return { message: { type }, origin: 'tell', attempts: 0, early }
  }
  for (const [mailbox, turns] of [
    [
      ['note', 'see', 'look'],
      [['note', 'see'], ['look']],
    ],
    [
      ['look', 'see', 'note'],
      [['look', 'see'], ['note']],
    ],
    [
      ['note', 'look', 'note'],
      [['note'], ['look'], ['note']],
    ],
    [['look', 'see'], [['look', 'see']]],
    [['note', 'note', 'see'], [['note', 'note', 'see']]],
  ] as const) {
    const activation = new Activation('link/x', 'x', kind, 0, 1)
    for (const type of mailbox) activation.put(entry(type))
    const taken = turns.map(() => activation.take().map(({ message }) => message.type))
    t.strictSame(taken, turns, mailbox.join())
  }
  const activation = new Activation('link/x', 'x', kind, 0, 1)
  const note = entry('note')
  for (const one of [note, entry('look')]) activation.put(one)
  note.early!.store(1, 1)
  t.equal(activation.take().length, 2, 'its sender is committed')
})

/** A lane on a store that commits everything, and the messages and settlements of its commits. */
function laneOf() {
  const commits: { sent: number[]; settled: number[] }[] = []
  const store = {
    newSource: async () => 7,
    transaction: ({ sent, settle }: Commit) => ({
      characters: 0,
      run: async () => {
        commits.push({ sent: sent.map(({ number }) => number), settled: settle.map(({ number }) => number) })
      },
    }),
  }
  const ends: string[] = []
  const told = (what: string) => () => void ends.push(what)
  const [fenced, faulted, hindered] = ['fenced', 'faulted', 'hindered'].map(told)
  const owner = { epoch: () => 1, isDeciding: () => false, committed: () => {}, retracted: told('retracted') }
  const rest = { fenced, faulted, hindered, repeated: told('repeated'), doubtful: told('doubtful'), rewound: () => {} }
  const lane = new Lane(store as never, 'one', { ...owner, ...rest } as LaneOwner, systemClock, silentLog)
  return { lane, commits, ends }
}

/** A turn that sends a message, and the turn of the message's receiver. */
function pair() {
  const passed: number[] = []
  const places = {
    admit() {},
    free() {},
    passOver: (_: number, number: number) => void passed.push(number),
    comesAgain: (_: number, number: number) => void passed.splice(passed.indexOf(number), 1),
    earlyEnded() {},
  }
  const [sender, receiver] = [0, 1].map((key) => {
    const activation = new Activation(`link/${key}`, `${key}`, link, key, 1)
    return new PendingTurn(activation, new Date(), undefined, 2)
  }) as [PendingTurn, PendingTurn]
  sender.tell('link/1', { type: 'pass' })
  const message = { type: 'pass' }
  const early = new EarlyMessage(sender, places, message, 1)
  sender.sends[0]!.early = early
  receiver.settle({ message, origin: 'tell', attempts: 0, early }, undefined)
  return { sender, receiver, early, passed }
}

t.test('I16 I17 a turn goes with the one that it depends on, or after it, never before', async (t) => {
  for (const [order, commits] of [
    [['sender', 'receiver'], [{ sent: [], settled: [] }]],
    [
      ['receiver', 'sender'],
      [
        { sent: [1], settled: [] },
        { sent: [], settled: [1] },
      ],
    ],
  ] as const) {
    const { lane, ...found } = laneOf()
    const turns = pair()
    for (const name of order) lane.push(turns[name])
    await lane.flush()
    t.strictSame(found, { commits, ends: [] })
    t.strictSame(turns.passed, order[0] === 'sender' ? [] : [1])
  }
  const { lane, ...found } = laneOf()
  const { sender, receiver } = pair()
  lane.push(receiver)
  await lane.flush()
  t.strictSame(found, { commits: [], ends: [] }, 'it waits')
  sender.cancelSends()
  await lane.flush()
  t.strictSame(found, { commits: [], ends: ['retracted'] }, 'and is undone with it')
})

t.test('I17 a receiver that has let go of an early message gets its row', async (t) => {
  const { lane, commits } = laneOf()
  const { sender, early, passed } = pair()
  early.release()
  lane.push(sender)
  await lane.flush()
  t.strictSame(commits, [{ sent: [1], settled: [] }])
  t.strictSame(passed, [], 'the inbox does not pass over it')
  t.equal(early.row, undefined)
})

t.test(
  'I17 a message that its receiver lets go of comes again from its row, before and after it has one',
  async (t) => {
    for (const is_stored_first of [true, false]) {
      const { lane } = laneOf()
      const { sender, early, passed } = pair()
      if (!is_stored_first) early.letGo()
      lane.push(sender)
      await lane.flush()
      if (is_stored_first) early.letGo()
      t.strictSame(passed, [])
      t.notOk(early.is_kept)
    }
  },
)
