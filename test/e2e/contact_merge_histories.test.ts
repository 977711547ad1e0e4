/**
 * Random histories of merges, undos and messages. At every moment a contact has exactly the messages of all ids that are one
 * person then; and after all undos each has its own alone, as if nothing had been merged. PARLEY_TEST_SEED and
 * PARLEY_TEST_PATH repeat the history whose seed and path were reported.
 */
import fc from 'fast-check'
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant, text } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)
const { PARLEY_TEST_ALL, PARLEY_TEST_SEED, PARLEY_TEST_PATH } = process.env
const seed = Number(PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

const PEOPLE = 4
let numbers = 15_550_500_000
let said = 0

type Step = { kind: 'write' | 'send' | 'merge' | 'undo'; one: number; other: number; meanwhile: boolean }

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('write', 'send', 'merge', 'merge', 'undo'),
  one: fc.nat(PEOPLE - 1),
  other: fc.nat(PEOPLE - 1),
  meanwhile: fc.boolean(),
})

/** The people by their places, and what is known of them. */
class Model {
  readonly texts: string[][]
  /** What became part of what, by the places of the contacts. */
  merges: { _id: string; from: number; into: number }[] = []

  constructor() {
    this.texts = Array.from({ length: PEOPLE }, () => [])
  }

  /** The contact that stands for this one now. */
  survivor(place: number): number {
    const merge = this.merges.find(({ from }) => from === place)
    return merge ? this.survivor(merge.into) : place
  }

  /** All texts of the contact that stands for this one. */
  textsOf(place: number): string[] {
    const wanted = this.survivor(place)
    return this.texts.filter((_, one) => this.survivor(one) === wanted).flat()
  }
}

async function play(tenant: Tenant, steps: Step[]): Promise<void> {
  const { api } = tenant
  const model = new Model()
  const people = Array.from({ length: PEOPLE }, () => String(++numbers))
  const write = async (place: number) => {
    const body = `text ${++said}`
    model.texts[place]!.push(body)
    const id = `wamid.history.${said}`
    const messages = [{ id, from: people[place], type: 'text', text: { body } }]
    const { status } = await callAsProvider(world, tenant.number, { messages, contacts: [] })
    if (status !== 200) throw new Error(`the webhook answered ${status}`)
  }
  const send = async (place: number) => {
    const body = `text ${++said}`
    model.texts[place]!.push(body)
    await made(api('POST', 'messages', { channel: 'whatsapp', to: `+${people[place]}`, message: text(body) }))
  }
  for (let place = 0; place < PEOPLE; place++) await write(place)
  const ids: string[] = []
  for (const number of people) ids.push((await made(api('GET', `contacts?search=${number}`))).data[0]._id)
  const settled = ({ _id, contact_id }: Json) =>
    eventually('the merge has ended', async () => {
      const { data } = await made(api('GET', `contacts/${contact_id}/merges`))
      return /^(?:merged|undone)$/.test(data.find((one: Json) => one._id === _id).status)
    })
  const undo = async (merge: Model['merges'][number]) => {
    model.merges = model.merges.filter((one) => one !== merge)
    await settled(await made(api('POST', `contacts/${ids[merge.into]}/merges/${merge._id}/undo`)))
  }
  for (const { kind, one, other, meanwhile } of steps) {
    const under_way: Promise<void>[] = meanwhile ? [write(one), write(other)] : []
    if (kind === 'write') await write(one)
    if (kind === 'send') await send(one)
    if (kind === 'merge' && model.survivor(one) !== model.survivor(other)) {
      const merge = await made(api('POST', `contacts/${ids[one]}/merge`, { from_contact_id: ids[other] }))
      model.merges.push({ _id: merge._id, from: model.survivor(other), into: model.survivor(one) })
      await settled(merge)
    }
    const known = model.merges[one % Math.max(1, model.merges.length)]
    if (kind === 'undo' && known) await undo(known)
    await Promise.all(under_way)
    await check(tenant, model, ids)
  }
  for (const merge of [...model.merges].sort((a, b) => (a._id < b._id ? 1 : -1))) await undo(merge)
  await check(tenant, model, ids)
}

async function check({ api }: Tenant, model: Model, ids: string[]): Promise<void> {
  await Promise.all(
    ids.map(async (id, place) => {
      const contact = await made(api('GET', `contacts/${id}`))
      const expected = ids[model.survivor(place)]
      if (contact._id !== expected) throw new Error(`${id} is ${contact._id}, not ${expected}`)
      const { data } = await made(api('GET', `messages?chat_user=${id}&limit=200`))
      const [found, wanted] = [data.map(({ message }: Json) => message.body).sort(), model.textsOf(place).sort()]
      if (found.join() !== wanted.join()) throw new Error(`${id} has ${found}, not ${wanted}`)
      const open = await made(api('GET', `crm/tickets?chat_user=${id}&is_closed=false`))
      if (open.data.length > 1) throw new Error(`${id} has ${open.data.length} open tickets`)
    }),
  )
}

t.test('contacts have the messages of all that they are, and their own after the undos', async (t) => {
  const result = await fc.check(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) =>
      play(await makeTenant(world), steps),
    ),
    {
      seed,
      numRuns: PARLEY_TEST_ALL ? 60 : 6,
      interruptAfterTimeLimit: PARLEY_TEST_ALL ? 300_000 : 60_000,
      ...(PARLEY_TEST_PATH && { path: PARLEY_TEST_PATH }),
    },
  )
  t.comment(`PARLEY_TEST_SEED=${seed}, ${result.numRuns} runs`)
  if (result.failed && result.counterexample) t.fail(`${fc.defaultReportMessage(result)}\n${result.errorInstance}`)
  else t.ok(result.numRuns > 0)
})
