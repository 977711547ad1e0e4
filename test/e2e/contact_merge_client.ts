/** Two contacts of a WhatsApp number, merged and separated as a client of the API does it. */
import { eventually, type Json } from './client.ts'
import { made, type Tenant, text, type World } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

let calls = 0

/** A person writes from this number. */
export async function writes(
  world: World,
  { number }: Tenant,
  from: string,
  body = 'Hello',
  more: Json = {},
): Promise<void> {
  const id = `wamid.merge.${++calls}`
  const said = { id, from, timestamp: String(Math.floor(Date.now() / 1000)), type: 'text', text: { body }, ...more }
  const answer = await callAsProvider(world, number, { messages: [said], contacts: [] })
  if (answer.status !== 200) throw new Error(`the webhook answered ${answer.status}`)
}

export const answers = ({ api }: Tenant, to: string) =>
  made(api('POST', 'messages', { channel: 'whatsapp', to: `+${to}`, message: text('Our answer') }))

let numbers = 15_550_400_000

/** A number that no other test of the file has. */
export const newNumber = () => String(++numbers)

/** Two contacts, each of whom wrote, with an open ticket each. */
export async function makePair(world: World, tenant: Tenant) {
  const [mine, theirs] = [newNumber(), newNumber()]
  await writes(world, tenant, mine, 'From the first')
  await writes(world, tenant, theirs, 'From the second')
  const contactOf = async (user_id: string) => {
    const { data } = await made(tenant.api('GET', `contacts?search=${user_id}`))
    return data[0]
  }
  return { mine, theirs, survivor: await contactOf(mine), former: await contactOf(theirs) }
}

async function settled({ api }: Tenant, merge: Json): Promise<Json> {
  return eventually('the merge has ended', async () => {
    const { data } = await made(api('GET', `contacts/${merge.contact_id}/merges`))
    const found = data.find(({ _id }: Json) => _id === merge._id)
    return found && (found.status === 'merged' || found.status === 'undone') && found
  })
}

export async function merge(tenant: Tenant, into: string, from_contact_id: string): Promise<Json> {
  const begun = await made(tenant.api('POST', `contacts/${into}/merge`, { from_contact_id }))
  return settled(tenant, begun)
}

export async function undo(tenant: Tenant, { _id, contact_id }: Json): Promise<Json> {
  return settled(tenant, await made(tenant.api('POST', `contacts/${contact_id}/merges/${_id}/undo`)))
}

/** Texts of a contact's messages, the oldest first. */
export async function textsOf({ api }: Tenant, chat_user: string): Promise<string[]> {
  const { data } = await made(api('GET', `messages?chat_user=${chat_user}&limit=100`))
  return data.map(({ message }: Json) => message.body).reverse()
}
