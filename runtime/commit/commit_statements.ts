/** The statements of a commit, in the order in which PostgreSQL carries them out. */
import { compileWrites, type Database, literal, type Param, planned, type Statement } from '../../storage/mod.ts'
import { AWAKE, type DeadLetter, type Sent, type TimerChange } from '../actor/pending_turn.ts'
import type { RowLocations } from './row_locations.ts'
import type { Commit } from './store.ts'

/** Fences come first, so that a commit that is not allowed fails before it changes anything; the writes of the domain come last. */
export function commitStatements(database: Database, commit: Commit, locations: RowLocations): Statement[] {
  const { source, commits, fences, settle, fired, timers, states, sent, dead } = commit
  const partitions = fences.map(({ partition }) => partition)
  const epochs = fences.map(({ epoch }) => epoch)
  // Plain text, because PostgreSQL's log and tests on the wire recognise a commit by it.
  const fence = `select lane_fence(${source}, ${commits}, '{${partitions}}', '{${epochs}}')`
  const statements: Statement[] = [{ text: fence, params: [] }]
  if (settle.length > 0) {
    const column = (name: 'partition' | 'source' | 'number') => settle.map((row) => row[name])
    statements.push(
      planned`select lane_settle(${list('int', column('partition'))}, ${list('bigint', column('source'))}, ${list('bigint', column('number'))})`,
    )
  }
  if (fired.length > 0) {
    const rows = fired.map(({ address, name, due }) => ({ a: address, n: name, d: new Date(due).toISOString() }))
    statements.push(
      planned`select lane_fired(array_agg(r.a), array_agg(r.n), array_agg(r.d)) from json_to_recordset(${json(JSON.stringify(rows))}) as r(a text, n text, d timestamptz)`,
    )
  }
  if (timers.length > 0) statements.push(...timerStatements(timers))
  if (states.length > 0) statements.push(savingOf(states, locations))
  if (sent.length > 0) {
    statements.push(planned`select lane_send(${bigint(source)}, ${json(`[${sent.map(outboxRow).join()}]`)})`)
  }
  if (dead.length > 0) statements.push(burial(dead))
  statements.push(...compileWrites(database.orm, commit.writes))
  return statements
}

/** Returns the new locations of the states, in their order, as one text, which is parsed faster than an array. */
function savingOf(states: Commit['states'], locations: RowLocations): Statement {
  if (states.length === 1) {
    const [{ address, json }] = states as [Commit['states'][0]]
    const location = locations.of(address)
    if (location)
      return planned`select state_save(${text(address)}, ${jsonb(json)}, ${tid(location)})::text as locations`
  }
  // Groups locations by page: the text of a location begins with the page's number.
  const pages = new Map<string, string>()
  const rows = states.map(({ address, json }) => {
    const location = locations.of(address)
    if (location === undefined) return `{"a":"${address}","s":${json}}`
    pages.set(location.slice(0, location.indexOf(',')), location)
    return `{"a":"${address}","s":${json},"t":"${location}"}`
  })
  return planned`select array_to_string(states_save(${jsonb(`[${rows.join()}]`)}, ${tids([...pages.values()])}), ' ') as locations`
}

function outboxRow({ partition, number, address, sender, json }: Sent): string {
  return `{"p":${partition},"n":${number},"a":"${address}","f":${sender === null ? 'null' : `"${sender}"`},"m":${json}}`
}

/** A change without a message cancels the timer. */
function timerStatements(timers: readonly TimerChange[]): Statement[] {
  const rows = timers.map(({ address, partition, name, due, json }) => {
    const at = due === null ? 'null' : `"${new Date(due).toISOString()}"`
    return `{"p":${partition},"a":"${address}","n":${JSON.stringify(name)},"d":${at},"m":${json}}`
  })
  const changes = json(`[${rows.join()}]`)
  const resting = timers
    .filter(({ name, json }) => name === AWAKE && json === null)
    .map(({ address }) => `"${address}"`)
  const addresses: Param = { type: 'text[]', value: literal(`{${resting}}`) }
  return [
    ...(resting.length > 0 ? [planned`select lane_rest(${addresses})`] : []),
    planned`select lane_cancel(array_agg(r.a), array_agg(r.n)) from json_to_recordset(${changes}) as r(a text, n text, m json) where r.m is null`,
    planned`insert into timer (partition, address, name, due_at, message) select r.p, r.a, r.n, r.d, r.m from json_to_recordset(${changes}) as r(p int, a text, n text, d timestamptz, m json) where r.m is not null on conflict (address, name) do update set due_at = excluded.due_at, message = excluded.message`,
  ]
}

/**
 * Uses literals, not a record set: a dead letter may hold characters that PostgreSQL accepts as json but not as text
 * (\u0000), and parking must not fail.
 */
function burial(dead: readonly DeadLetter[]): Statement {
  const rows = dead.map(
    ({ partition, address, sender, json, error }) =>
      `(${partition}, ${literal(address)}, ${sender === null ? 'null' : literal(sender)}, ${literal(json)}, ${literal(error)})`,
  )
  return {
    text: `insert into dead_letter (partition, address, sender, message, error) values ${rows.join()}`,
    params: [],
  }
}

const bigint = (value: number): Param => ({ type: 'bigint', value: String(value) })
const text = (value: string): Param => ({ type: 'text', value: literal(value) })
const json = (text: string): Param => ({ type: 'json', value: literal(text) })
const jsonb = (text: string): Param => ({ type: 'jsonb', value: literal(text) })
const tid = (location: string): Param => ({ type: 'tid', value: `'${location}'` })
const tids = (locations: string[]): Param => ({
  type: 'tid[]',
  value: `'{${locations.map((location) => `"${location}"`)}}'`,
})
const list = (type: string, values: number[]): Param => ({ type: `${type}[]`, value: `'{${values}}'` })
