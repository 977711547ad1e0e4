/** A commit in the modelled PostgreSQL, statement by statement: the rows it locks, compares and changes. */
import { AWAKE, type TimerChange } from '../../runtime/actor/pending_turn.ts'
import type { Commit } from '../../runtime/commit/store.ts'
import type { Line } from './line.ts'
import type { Transaction as ServerTransaction } from './server.ts'
import { outboxKey, timerKey } from './tables.ts'

/** Ends the transaction with all changes of the commit, or with the SQLSTATE that refuses it. */
export function carryOut(commit: Commit, tx: ServerTransaction, line: Line): void {
  const { source, commits, fences, settle, fired, timers, states, sent, dead } = commit
  const { tables } = tx
  const { refuses } = line.server
  if (refuses) {
    tx.fail(refuses)
    return
  }
  const partitions = fences.map(({ partition }) => partition).sort((a, b) => a - b)
  const isHeld = ({ partition, epoch }: { partition: number; epoch: number }) =>
    tables.partitions.get(partition)?.epoch === epoch
  const lane = () => tables.lanes.get(source)
  const outbox = settle.map((row) => outboxKey(row.partition, row.source, row.number))
  const fires = fired.map(({ address, name }) => timerKey(address, name))
  const isSet = (index: number) => tables.timers.get(fires[index]!)?.due === fired[index]!.due

  const fence = () => {
    if (!fences.every(isHeld)) tx.fail('PL002')
    else if (lane()?.commits !== commits - 1) tx.fail('PL003')
    else tx.lock([`lane ${source}`], 'update', raise)
  }
  const raise = () => {
    const row = lane()
    if (row?.commits !== commits - 1) {
      tx.fail('PL003')
      return
    }
    tx.set(tables.lanes, source, { ...row, commits })
    const there = outbox.filter((key) => tables.outbox.has(key))
    tx.lock(
      there.map((key) => `outbox ${key}`),
      'update',
      settleAll,
    )
  }
  const settleAll = () => {
    if (new Set(outbox).size < outbox.length || !outbox.every((key) => tables.outbox.has(key))) {
      tx.fail('PL001')
      return
    }
    for (const key of outbox) tx.set(tables.outbox, key, undefined)
    const there = fires.filter((_, index) => isSet(index))
    tx.lock(
      there.map((key) => `timer ${key}`),
      'update',
      fireAll,
    )
  }
  /** The common name cancels all rows that keep the actor awake. */
  const keysOf = ({ address, name, json }: TimerChange): string[] => {
    if (name !== AWAKE || json !== null) return [timerKey(address, name)]
    return [...tables.timers].filter(([, row]) => row.address === address && row.due === null).map(([key]) => key)
  }
  const fireAll = () => {
    if (new Set(fires).size < fires.length || !fires.every((_, index) => isSet(index))) {
      tx.fail('PL001')
      return
    }
    for (const key of fires) tx.set(tables.timers, key, undefined)
    const changed = timers.flatMap(keysOf)
    tx.lock(
      changed.map((key) => `timer ${key}`),
      'update',
      changeTimers,
    )
  }
  const changeTimers = () => {
    for (const change of timers) {
      if (change.json === null) for (const key of keysOf(change)) tx.set(tables.timers, key, undefined)
    }
    for (const { address, partition, name, due, json } of timers) {
      if (json !== null) tx.set(tables.timers, timerKey(address, name), { partition, address, name, due, json })
    }
    tx.lock(
      states.map(({ address }) => `state ${address}`),
      'update',
      save,
    )
  }
  const save = () => {
    for (const { address, json } of states) tx.set(tables.states, address, json)
    const keys = new Set<string>()
    for (const { partition, number, address, sender, json } of sent) {
      const key = outboxKey(partition, source, number)
      if (tables.outbox.has(key) || keys.has(key)) {
        tx.fail('23505')
        return
      }
      keys.add(key)
      tx.set(tables.outbox, key, { partition, source, number, address, sender, json })
    }
    for (const { address, json, error } of dead) {
      tx.set(tables.dead, tables.next('dead', line.host.world.time), { address, json, error })
    }
    tx.commit(undefined)
  }
  // Partitions of another epoch are not locked.
  const held = fences.filter(isHeld).map(({ partition }) => partition)
  tx.lock(
    partitions.filter((id) => held.includes(id)).map((id) => `partition ${id}`),
    'share',
    fence,
  )
}

/** Describes a commit for a trace. */
export function describe({ source, commits, fences, settle, fired, timers, states, sent }: Commit): string {
  return `commits ${JSON.stringify({
    lane: `${source}:${commits}`,
    epochs: Object.fromEntries(fences.map(({ partition, epoch }) => [partition, epoch])),
    settles: settle.map((one) => Object.values(one).join(' ')),
    fired: fired.map(({ address, name }) => timerKey(address, name)),
    timers: timers.map(({ address, name, due }) => `${timerKey(address, name)} ${due}`),
    saves: Object.fromEntries(states.map(({ address, json }) => [address, JSON.parse(json)])),
    sends: sent.map(({ partition, number, json }) => `${partition} ${source} ${number} ${json}`),
  })}`
}
