/** An assistant of a tenant that answers people on WhatsApp, and what the API shows of its work. */
import { eventually, type Json } from './client.ts'
import { made, type Tenant, type World } from './fixture.ts'

let people = 0

/** A phone number that nobody else in the run has. */
export const newPerson = () =>
  `1556${String(process.pid).slice(-3).padStart(3, '0')}${String(++people).padStart(4, '0')}`

export type AssistantDesk = Awaited<ReturnType<typeof openDesk>>

/** Makes an assistant with instructions that answers on all channels, unless `deployments` say otherwise. */
export async function openDesk(
  world: Pick<World, 'model'>,
  tenant: Tenant,
  { fields = {}, deployments = [{ answers: 'always' }] }: { fields?: Json; deployments?: Json[] } = {},
) {
  const { api } = tenant
  const { assistant } = await made(api('POST', 'assistants', { name: 'Ana', model: 'simulated', ...fields }))
  const { _id } = assistant
  const { block } = await made(api('POST', 'blocks/steps', { name: 'Orders', content: '1. Answer in one sentence' }))
  await made(api('POST', `assistants/${_id}/blocks`, { block_id: block._id }))
  await made(api('PUT', `assistants/${_id}/deployments`, { deployments }))
  const contactOf = async (phone: string): Promise<Json | undefined> =>
    (await made(api('GET', `contacts?phone=%2B${phone}`))).data[0]
  const messagesOf = async (phone: string): Promise<Json[]> => {
    const contact = await contactOf(phone)
    return contact ? (await made(api('GET', `messages?chat_user=${contact._id}`))).data.toReversed() : []
  }
  const answersOf = async (phone: string) =>
    (await messagesOf(phone)).filter(({ assistant_id }) => assistant_id === _id)
  const ticketOf = async (phone: string): Promise<Json> => {
    const contact = await contactOf(phone)
    return (await made(api('GET', `crm/tickets?chat_user=${contact!._id}`))).data[0]
  }
  return {
    id: _id as string,
    contactOf,
    messagesOf,
    answersOf,
    ticketOf,
    says: (phone: string, body: string) => tenant.writes(phone, { type: 'text', text: { body } }),
    /** The replies that the model will give to questions with this text. */
    script: (match: string, ...replies: Json[]) =>
      made(world.model('POST', '', { script: replies.map((reply) => ({ match, ...reply })) })),
    /** Calls of the model whose last message has this text. */
    calls: async (match: string): Promise<Json[]> =>
      (await made(world.model('GET', 'calls'))).data.filter(({ body }: Json) =>
        JSON.stringify(body.messages?.findLast(({ role }: Json) => role === 'user') ?? '').includes(match),
      ),
    turns: async (query = ''): Promise<Json[]> => (await made(api('GET', `assistants/${_id}/turns?${query}`))).data,
    /** Resolves to the answers once there are `count`. */
    answered: (phone: string, count = 1) =>
      eventually(`${phone} has ${count} answers`, async () => {
        const answers = await answersOf(phone)
        return answers.length >= count && answers
      }),
    /** Resolves to the ticket once people have it. */
    left: (phone: string) =>
      eventually(`${phone} is left to people`, async () => {
        const ticket = await ticketOf(phone)
        return ticket?.handled_by === 'person' && ticket
      }),
  }
}
