/** Histories of merges, undos and messages, and what holds of the contacts at every moment. */
import fc from 'fast-check'
import { eventually, type Json } from './client.ts'
import { type Outside, type Tenant, text } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

let keys = 0

/** Repeats a request until it has an answer, as a client does whose node may end. */
async function surely({ api }: Tenant, method: string, path: string, json?: unknown): Promise<Json> {
  const headers: Record<string, string> = method === 'POST' ? { 'idempotency-key': `merge-history-${++keys}` } : {}
  return eventually('it is answered', async () => {
    const answer = await api(method, path, json, { headers }).catch(() => undefined)
    if (!answer || answer.status === 503 || answer.body?.error?.code === 'IDEMPOTENCY_IN_PROGRESS') return undefined
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body
  })
}

const PEOPLE = 4
let numbers = 15_550_500_000
let said = 0

export type Step = { kind: 'write' | 'send' | 'merge' | 'undo'; one: number; other: number; meanwhile: boolean }

export const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('write', 'send', 'merge', 'merge', 'undo'),
  one: fc.nat(PEOPLE - 1),
  other: fc.nat(PEOPLE - 1),
  meanwhile: fc.boolean(),
})

/** The people by their places, and what is known of them. */
class Model {
  readonly texts: string[][]
  /** The contact that each one became a part of, by their places. */
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

/** Plays the steps, then undoes all merges. Rejects when a contact has what is not its own. The node may end meanwhile. */
export async function play(world: Outside, tenant: Tenant, steps: Step[]): Promise<void> {
  const model = new Model()
  const people = Array.from({ length: PEOPLE }, () => String(++numbers))
  const write = async (place: number) => {
    const body = `text ${++said}`
    model.texts[place]!.push(body)
    const id = `wamid.history.${said}`
    const messages = [{ id, from: people[place], type: 'text', text: { body } }]
    // The provider repeats a call until it is taken.
    await eventually('the call is taken', async () => {
      const answer = await callAsProvider(world, tenant.number, { messages, contacts: [] }).catch(() => undefined)
      return answer?.status === 200
    })
  }
  const send = async (place: number) => {
    const body = `text ${++said}`
    model.texts[place]!.push(body)
    await surely(tenant, 'POST', 'messages', { channel: 'whatsapp', to: `+${people[place]}`, message: text(body) })
  }
  for (let place = 0; place < PEOPLE; place++) await write(place)
  const ids: string[] = []
  for (const number of people) ids.push((await surely(tenant, 'GET', `contacts?search=${number}`)).data[0]._id)
  const settled = ({ _id, contact_id }: Json) =>
    eventually('the merge has ended', async () => {
      const { data } = await surely(tenant, 'GET', `contacts/${contact_id}/merges`)
      return /^(?:merged|undone)$/.test(data.find((one: Json) => one._id === _id).status)
    })
  const undo = async (merge: Model['merges'][number]) => {
    model.merges = model.merges.filter((one) => one !== merge)
    await settled(await surely(tenant, 'POST', `contacts/${ids[merge.into]}/merges/${merge._id}/undo`))
  }
  for (const { kind, one, other, meanwhile } of steps) {
    const under_way: Promise<void>[] = meanwhile ? [write(one), write(other)] : []
    if (kind === 'write') await write(one)
    if (kind === 'send') await send(one)
    if (kind === 'merge' && model.survivor(one) !== model.survivor(other)) {
      const merge = await surely(tenant, 'POST', `contacts/${ids[one]}/merge`, { from_contact_id: ids[other] })
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

async function check(tenant: Tenant, model: Model, ids: string[]): Promise<void> {
  await Promise.all(
    ids.map(async (id, place) => {
      const contact = await surely(tenant, 'GET', `contacts/${id}`)
      const expected = ids[model.survivor(place)]
      if (contact._id !== expected) throw new Error(`${id} is ${contact._id}, not ${expected}`)
      const { data } = await surely(tenant, 'GET', `messages?chat_user=${id}&limit=200`)
      const [found, wanted] = [data.map(({ message }: Json) => message.body).sort(), model.textsOf(place).sort()]
      if (found.join() !== wanted.join()) throw new Error(`${id} has ${found}, not ${wanted}`)
      const open = await surely(tenant, 'GET', `crm/tickets?chat_user=${id}&is_closed=false`)
      if (open.data.length > 1) throw new Error(`${id} has ${open.data.length} open tickets`)
    }),
  )
}
