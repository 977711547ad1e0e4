/** Histories of people whose numbers are given out again, and what holds of their contacts at the end. */
import fc from 'fast-check'
import { eventually, type Json } from './client.ts'
import { made, type Tenant } from './fixture.ts'

const PEOPLE = 2
const NUMBERS = 3
/** A person writes with these ids, or goes on under a number that is free. `late`: calls that come before the one of this step. */
export type Step = { person: number; kind: 'both' | 'id' | 'move'; number: number; late: number }

export const step: fc.Arbitrary<Step> = fc.record({
  person: fc.nat(PEOPLE - 1),
  kind: fc.constantFrom('both', 'both', 'id', 'move', 'move'),
  number: fc.nat(NUMBERS - 1),
  late: fc.constantFrom(0, 0, 1, 3),
})

export type Said = { person: number; body: string }

/** The calls of a history, in the order in which they come, and who said what. */
export function callsOf(steps: Step[], history: number): { calls: Json[]; said: Said[] } {
  const began = Math.floor(Date.now() / 1000) - 1000
  const numberOf = (place: number) => `1555${String(history).padStart(5, '0')}0${place}`
  const idOf = (person: number, changes: number) => `US.${history}0${person}0${changes}`
  const people = Array.from({ length: PEOPLE }, (_, person) => ({ number: person, changes: 0 }))
  const said: Said[] = []
  const calls: { due: number; call: Json }[] = []
  for (const [at, { person, kind, number, late }] of steps.entries()) {
    const one = people[person]!
    const from = { from: numberOf(one.number), from_user_id: idOf(person, one.changes), timestamp: String(began + at) }
    if (kind !== 'move') {
      const body = `text ${said.length}`
      said.push({ person, body })
      calls.push({ due: at + late, call: { ...from, ...(kind === 'id' && { from: undefined }), text: { body } } })
    } else if (people.every((other) => other.number !== number)) {
      Object.assign(one, { number, changes: one.changes + 1 })
      const becomes = { wa_id: numberOf(number), user_id: idOf(person, one.changes), body: 'News' }
      calls.push({
        due: at + late,
        call: { ...from, type: 'system', system: { type: 'user_changed_number', ...becomes } },
      })
    }
  }
  return { calls: calls.toSorted((one, other) => one.due - other.due).map(({ call }) => call), said }
}

/** A contact has messages of one person alone, and each message is there once. */
export async function check({ api }: Tenant, said: Said[]): Promise<void> {
  await eventually('nothing is under way', async () => {
    const { data } = await made(api('GET', 'contacts?limit=200'))
    const merges = await Promise.all(data.map(({ _id }: Json) => made(api('GET', `contacts/${_id}/merges`))))
    return merges.flatMap((one) => one.data).every(({ status }: Json) => status === 'merged')
  })
  const wanted = said.map(({ body }) => body).sort()
  let found: string[] = []
  // A message may move to another contact between two requests, and is then read twice, or not at all.
  await eventually('each message is there once', async () => {
    found = await bodiesOf({ api }, said)
    return found.sort().join() === wanted.join()
  }).catch((error: Error) => {
    throw new Error(`${error.message} (there are ${found}, not ${wanted})`)
  })
}

/** The bodies of the messages of all contacts. Throws where a contact has messages of two people. */
async function bodiesOf({ api }: Pick<Tenant, 'api'>, said: Said[]): Promise<string[]> {
  const contacts: Json[] = (await made(api('GET', 'contacts?limit=200'))).data
  const found: string[] = []
  for (const { _id, user_id } of contacts) {
    if (!user_id) throw new Error(`${_id} has no id`)
    const { data } = await made(api('GET', `messages?chat_user=${_id}&limit=200`))
    const bodies: string[] = data
      .flatMap(({ message }: Json) => message.body ?? [])
      .filter((one: string) => one !== 'News')
    const people = new Set(bodies.map((body) => said.find((one) => one.body === body)!.person))
    if (people.size > 1) throw new Error(`${user_id} has messages of ${[...people]}: ${bodies}`)
    found.push(...bodies)
  }
  return found
}
