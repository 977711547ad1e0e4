/**
 * The actors of simulated histories. Each actor notices forbidden events by itself and writes them into its state.
 * Faults that only several actors can show are left to the checker. `ids` are the applied operations.
 */

import type { Store } from '../../runtime/commit/store.ts'
import { type ActorKind, defineActor, mayBegin, type Turn } from '../../runtime/mod.ts'
import { sleep } from '../../runtime/time/clock.ts'
import type { Host } from './host.ts'
import type { Outside } from './outside.ts'

/**
 * After this many milliseconds without a word about a call, the channel calls again, like `confirm_ms` of the channel
 * actor.
 */
export const CONFIRM_MS = 6000
/** One letter of so many has a type that a node of an older version does not know. */
const NEW_EACH = 3

export type LinkState = { ids: number[]; n: number; last: Record<string, number>; wrong: string[] }
export type CounterState = { ids: number[]; wrong: string[] }
export type AlarmState = {
  ids: number[]
  set: Record<string, { id: number; due: number }>
  fired: number[]
  wrong: string[]
}
export type JobState = { ids: number[]; open: number[]; wrong: string[] }
export type ChannelState = {
  ids: number[]
  open: Record<string, { attempt: number; is_begun: boolean }>
  wrong: string[]
}

type Op = { id: number }
type LinkProtocol = {
  next: { message: Op & { path: string[] }; reply: number }
  pass: { message: { origin: string; n: number; path: string[] }; reply: undefined }
  newer: { message: { origin: string; n: number; path: string[] }; reply: undefined }
}
export type CounterProtocol = {
  add: { message: Op & { repeatable: boolean }; reply: number }
  get: { message: object; reply: number }
}
type AlarmProtocol = {
  set: { message: Op & { name: string; ms: number }; reply: number }
  cancel: { message: Op & { name: string }; reply: number }
  ring: { message: Op & { name: string; due: number }; reply: undefined }
}
type JobProtocol = {
  begin: { message: Op; reply: number }
  finished: { message: { job: number }; reply: undefined }
  wake: { message: object; reply: undefined }
}
type DeskProtocol = { submit: { message: Op & { channel: string }; reply: number } }
type ChannelProtocol = {
  send: { message: Op; reply: undefined }
  attempted: { message: Op & { attempt: number; outcome: 'sent' | 'not_begun' | 'unheard' }; reply: undefined }
  confirm: { message: object; reply: undefined }
  wake: { message: object; reply: undefined }
}

/**
 * The place of an actor: its host and node, the stored states, whether that node is of an older version now, and whether
 * the database's clock was never turned.
 */
export type Place = {
  host: Host
  store: Pick<Store, 'readStates'>
  outside: Outside
  node: string
  isOld(): boolean
  isTimely(): boolean
}

type State = { ids: number[]; wrong: string[] }
/** A fault that the reads of a turn have shown. */
type Records = string | undefined

export function kindsOf(place: Place): ActorKind[] {
  return [linkKind(place), counterKind(place), alarmKind(place), jobKind(place), deskKind(), channelKind(place)]
}

/**
 * Makes half of the nodes read the actor's own row before each turn, as actors of the product read their tables. A turn
 * that is committed must have read what the turns before it have stored.
 */
function reader<S extends State>({ host, store }: Place, kind: string) {
  if (host.world.happens(0.5)) return {}
  const read = async (_messages: unknown, { key, state }: { key: string; state: S }): Promise<Records> => {
    const address = `${kind}/${key}`
    const stored = (await store.readStates([address])).get(address) as S | undefined
    const [there, here] = [stored?.ids.length ?? 0, state.ids.length]
    return there === here ? undefined : `${address} read ${there} operations where it has done ${here}`
  }
  return { read }
}

/** Notes an operation. An operation that was applied before is a fault. */
function apply(turn: Turn<State, Records>, id: number): void {
  const { ids, wrong } = turn.state
  if (turn.records) wrong.push(turn.records)
  if (ids.includes(id)) wrong.push(`operation ${id} was applied twice`)
  ids.push(id)
  turn.save()
}

/** The head of a chain numbers its messages. Each link sees the numbers of each head in order and without a gap. */
function linkKind(place: Place): ActorKind {
  const { isOld } = place
  const pass = (
    turn: Turn<LinkState>,
    { origin, n, path }: { origin: string; n: number; path: string[] },
  ): undefined => {
    const { last, wrong } = turn.state
    const before = last[origin] ?? 0
    if (n !== before + 1) wrong.push(`${origin} sent ${n} after ${before}`)
    last[origin] = n
    turn.save()
    tellOn(turn, origin, n, path)
  }
  const tellOn = (turn: Turn<LinkState>, origin: string, n: number, [next, ...path]: string[]): void => {
    if (next) turn.tell(next, { type: n % NEW_EACH === 0 ? 'newer' : 'pass', origin, n, path } as never)
  }
  return defineActor<LinkProtocol, LinkState, Records>({
    kind: 'link',
    ...reader<LinkState>(place, 'link'),
    early: { pass: [], newer: [] },
    create: () => ({ ids: [], n: 0, last: {}, wrong: [] }),
    receive: {
      next(turn, { id, path }) {
        apply(turn, id)
        const n = ++turn.state.n
        tellOn(turn, turn.address, n, path)
        return n
      },
      pass,
      get newer() {
        return (isOld() ? undefined : pass) as typeof pass
      },
    },
  })
}

/** An actor that counts operations. A repeatable operation shows by its id that it was done before. */
function counterKind(place: Place): ActorKind {
  const gathers = place.host.world.happens(0.5)
  /** Tells the watchers at once, or together with what other turns tell them. */
  const publish = (turn: Turn<CounterState, Records>, id: number) => {
    const channel = turn.address.replace('/', '-')
    if (gathers) turn.notice(channel, { type: 'added', list: 'ids', ids: [`${id}`], most: 100 })
    else turn.live(channel, () => ({ type: 'added', data: { id } }))
  }
  return defineActor<CounterProtocol, CounterState, Records>({
    kind: 'counter',
    ...reader<CounterState>(place, 'counter'),
    create: () => ({ ids: [], wrong: [] }),
    receive: {
      add(turn, { id, repeatable }) {
        if (!repeatable || !turn.state.ids.includes(id)) {
          apply(turn, id)
          publish(turn, id)
        }
        return turn.state.ids.length
      },
      get: (turn) => turn.state.ids.length,
    },
    peek: { get: ({ state }) => state.ids.length },
  })
}

/** An actor with timers that are set, moved and cancelled. */
function alarmKind({ isTimely }: Place): ActorKind {
  return defineActor<AlarmProtocol, AlarmState>({
    kind: 'alarm',
    create: () => ({ ids: [], set: {}, fired: [], wrong: [] }),
    receive: {
      set(turn, { id, name, ms }) {
        apply(turn, id)
        const due = turn.now.getTime() + ms
        turn.state.set[name] = { id, due }
        turn.timer(name, new Date(due), { type: 'ring', id, name, due } as never)
        return id
      },
      cancel(turn, { id, name }) {
        apply(turn, id)
        delete turn.state.set[name]
        turn.cancel(name)
        return id
      },
      ring(turn, { id, name, due }) {
        const { set, fired, wrong } = turn.state
        if (set[name]?.id !== id)
          wrong.push(`${name} rang for ${id}, which was ${fired.includes(id) ? 'rung' : 'replaced'}`)
        else delete set[name]
        if (turn.now.getTime() < due && isTimely()) wrong.push(`${name} rang ${due - turn.now.getTime()} ms too early`)
        fired.push(id)
        turn.save()
      },
    },
  })
}

/** An actor with slow work that the next owner takes up again, and whose result counts once. */
function jobKind({ host }: Place): ActorKind {
  const memory = new WeakMap<JobState, Set<number>>()
  const start = (turn: Turn<JobState>, job: number): void => {
    const running = memory.get(turn.state) ?? new Set()
    memory.set(turn.state, running.add(job))
    const ms = host.world.between(5, host.world.happens(0.2) ? 2000 : 100)
    const heeds = host.world.happens(0.5)
    turn.work(async (signal) => {
      await sleep(host.clock, ms)
      if (heeds && signal.aborted) throw new Error('aborted')
      return { type: 'finished', job }
    })
  }
  return defineActor<JobProtocol, JobState>({
    kind: 'job',
    create: () => ({ ids: [], open: [], wrong: [] }),
    receive: {
      begin(turn, { id }) {
        apply(turn, id)
        turn.state.open.push(id)
        turn.awake(true)
        start(turn, id)
        return id
      },
      finished(turn, { job }) {
        const { open, wrong } = turn.state
        if (!open.includes(job)) wrong.push(`job ${job} finished twice`)
        turn.state.open = open.filter((one) => one !== job)
        memory.get(turn.state)?.delete(job)
        turn.awake(turn.state.open.length > 0)
        turn.save()
      },
      wake(turn) {
        const running = memory.get(turn.state)
        for (const job of turn.state.open) if (!running?.has(job)) start(turn, job)
        turn.awake(turn.state.open.length > 0)
      },
    },
  })
}

/** An actor that takes messages in and tells a channel to send them. */
function deskKind(): ActorKind {
  return defineActor<DeskProtocol, CounterState>({
    kind: 'desk',
    create: () => ({ ids: [], wrong: [] }),
    receive: {
      submit(turn, { id, channel }) {
        apply(turn, id)
        turn.tell(channel, { type: 'send', id } as never)
        return id
      },
    },
  })
}

/**
 * An actor that calls a provider by the crash rule of sending: a call stored as begun without a result is in doubt. The
 * owner repeats such a call only after it has watched it for `CONFIRM_MS`.
 */
function channelKind(place: Place): ActorKind {
  const { host, outside, node } = place
  type Memory = { since: number; running: Set<number> }
  const memories = new WeakMap<ChannelState, Memory>()
  const remember = (turn: Turn<ChannelState>): Memory => {
    let memory = memories.get(turn.state)
    if (!memory) {
      memory = { since: host.clock.monotonic(), running: new Set() }
      memories.set(turn.state, memory)
      if (Object.keys(turn.state.open).length > 0) turn.soon(CONFIRM_MS, { type: 'confirm' })
    }
    return memory
  }
  const start = (turn: Turn<ChannelState>, id: number, is_repeat: boolean): void => {
    const item = turn.state.open[id]!
    const attempt = ++item.attempt
    item.is_begun = true
    remember(turn).running.add(id)
    const { world, clock } = host
    const connect_ms = world.happens(0.3) ? world.between(1, 2500) : 0
    const answer_ms = world.between(20, world.happens(0.2) ? 3000 : 300)
    const { address } = turn
    turn.save()
    turn.work(
      async (signal) => {
        const attempted = { type: 'attempted', id, attempt }
        if (connect_ms > 0) await sleep(clock, connect_ms)
        // The node that has taken the channel meanwhile will send the message.
        if (!mayBegin(signal)) return { ...attempted, outcome: is_repeat ? 'unheard' : 'not_begun' }
        outside.call({ id, attempt, host, node, address })
        await sleep(clock, answer_ms)
        outside.answered(id, host)
        return { ...attempted, outcome: 'sent' }
      },
      { unbroken: true },
    )
  }
  return defineActor<ChannelProtocol, ChannelState, Records>({
    kind: 'channel',
    ...reader<ChannelState>(place, 'channel'),
    early: { send: [] },
    create: () => ({ ids: [], open: {}, wrong: [] }),
    receive: {
      send(turn, { id }) {
        remember(turn)
        apply(turn, id)
        turn.state.open[id] = { attempt: 0, is_begun: false }
        start(turn, id, false)
        turn.awake(true)
      },
      attempted(turn, { id, attempt, outcome }) {
        const { running } = remember(turn)
        const item = turn.state.open[id]
        if (!item) return
        if (outcome === 'sent') delete turn.state.open[id]
        else if (attempt !== item.attempt) return
        if (outcome === 'unheard') turn.soon(CONFIRM_MS, { type: 'confirm' })
        if (attempt === item.attempt) running.delete(id)
        if (outcome === 'not_begun') start(turn, id, false)
        turn.awake(Object.keys(turn.state.open).length > 0)
        turn.save()
      },
      confirm(turn) {
        const { since, running } = remember(turn)
        if (host.clock.monotonic() < since + CONFIRM_MS) turn.soon(CONFIRM_MS, { type: 'confirm' })
        else for (const id of Object.keys(turn.state.open)) if (!running.has(Number(id))) start(turn, Number(id), true)
      },
      wake(turn) {
        remember(turn)
        turn.awake(Object.keys(turn.state.open).length > 0)
      },
    },
  })
}
