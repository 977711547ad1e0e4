/** Calls with the history of a phone, of any size. */
import t from 'tap'
import { parseWebhook } from '../../actors/providers/whatsapp/webhook.ts'

const PEOPLE = 20_000
const people = Array.from({ length: PEOPLE }, (_, place) => String(5_215_550_000_000 + place))
const said = (person: string) => ({
  ...{ from: person, id: `wamid.${person}`, timestamp: '1738796547', type: 'image' },
  image: { id: '1', mime_type: 'image/jpeg', sha256: 'x' },
})

for (const [rule, told] of [
  [
    'threads',
    {
      history: [
        {
          metadata: { phase: 0, chunk_order: 1, progress: 10 },
          threads: people.map((id) => ({ id, messages: [said(id)] })),
        },
      ],
    },
  ],
  ['files of messages', { messages: people.map(said) }],
] as const) {
  t.test(`a history is read in linear time: ${rule}`, async (t) => {
    const contacts = people.map((wa_id) => ({ wa_id, profile: { name: `Person ${wa_id}` } }))
    const metadata = { display_phone_number: '15550100', phone_number_id: '106540352242922' }
    const value = { messaging_product: 'whatsapp', metadata, contacts, ...told }
    const call = { object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'history', value }] }] }
    const raw = JSON.stringify(call)
    const before = process.cpuUsage()
    const [item] = parseWebhook(raw)!
    t.ok(process.cpuUsage(before).user < 5_000_000)
    const parts = item?.kind === 'history' ? item.parts : []
    t.equal(parts.length, PEOPLE)
    t.match(parts.at(-1), { user_id: people.at(-1), content: { contact: { wa_id: people.at(-1) } } })
  })
}
