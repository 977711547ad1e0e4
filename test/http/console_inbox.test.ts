/** Modules of the inbox without a window: saved views, their counts, and what a visitor does in a thread. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { SavedViews } = await load('inbox/views.ts')
const { TemplateTexts } = await load('crm/template_texts.ts')
const { VisitorTyping } = await load('inbox/thread/conversation/visitor_typing.ts')
const { AssistantTyping } = await load('inbox/thread/conversation/assistant_typing.ts')

const view = (fields: Json) => ({ filter: {}, position: 1, is_shared: false, ...fields })

/** A server with these views, whose tickets are counted anew by each request. */
function viewServer(views: Json[]) {
  const asked: string[] = []
  return {
    asked,
    tickets: 1 as number | Error,
    async get(path: string) {
      asked.push(path)
      if (path === 'inbox/views') return { data: views }
      if (this.tickets instanceof Error) throw this.tickets
      const counted = { tickets: this.tickets, unread: 0 }
      return {
        data: views.map(({ _id }) => ({ _id, ...(_id === 'search' ? { tickets: null, unread: null } : counted) })),
      }
    },
  }
}

t.test('saved views have counts, which follow events, changes of views and failures', async (t) => {
  const api = viewServer([view({ _id: 'a', name: 'A' }), view({ _id: 'search', name: 'S', position: 2 })])
  const views = new SavedViews({ api })
  t.teardown(() => views.close())
  await eventually('they are counted', () => views.counts.value['view-a']?.tickets === 1)
  t.notOk('view-search' in views.counts.value, 'what the server does not count has no number')
  api.tickets = new Error('away')
  views.hear([{ type: 'ticket.updated', data: {} }])
  await eventually('it was asked in vain', () => api.asked.length >= 3)
  t.match(views.counts.value['view-a'], { tickets: 1 })
  api.tickets = 2
  await eventually('it was asked again', () => views.counts.value['view-a']?.tickets === 2)
  const before = api.asked.length
  views.hear([{ type: 'knowledge.changed', data: {} }])
  views.hear([{ type: 'view.changed', data: { _id: 'b', view: view({ _id: 'b', name: 'B' }) } }])
  await eventually('a new view is counted at once', () => api.asked.length === before + 1)
})

t.test('a project without views is never asked for counts', async (t) => {
  const api = viewServer([])
  const views = new SavedViews({ api })
  t.teardown(() => views.close())
  await eventually('the views are read', () => views.list.value)
  views.hear([{ type: 'message.created', data: {} }])
  t.same(api.asked, ['inbox/views'])
})

t.test('a visitor writes until the message is there', async (t) => {
  const visitor = new VisitorTyping()
  t.teardown(() => visitor.close())
  const typing = (typing: boolean, chat_user = 'ana') =>
    visitor.hear([{ type: 'visitor.typing', data: { chat_user, typing } }], [], 'ana')
  typing(true, 'somebody else')
  t.equal(visitor.is_typing.value, false)
  typing(true)
  t.equal(visitor.is_typing.value, true)
  visitor.hear([], [{ direction: 'outbound' }], 'ana')
  t.equal(visitor.is_typing.value, true)
  visitor.hear([], [{ direction: 'inbound' }], 'ana')
  t.equal(visitor.is_typing.value, false)
  typing(true)
  typing(false)
  t.equal(visitor.is_typing.value, false)
})

t.test('an assistant writes until an answer is there', async (t) => {
  const assistant = new AssistantTyping()
  t.teardown(() => assistant.close())
  const typing = (typing: boolean, ticket_id = 'ticket') =>
    assistant.hear([{ type: 'assistant.typing', data: { ticket_id, assistant_id: 'nox', typing } }], [], 'ticket')
  typing(true, 'another')
  t.same([assistant.is_typing.value, assistant.assistant_id.value], [false, null])
  typing(true)
  t.same([assistant.is_typing.value, assistant.assistant_id.value], [true, 'nox'])
  assistant.hear([], [{ direction: 'inbound' }], 'ticket')
  t.equal(assistant.is_typing.value, true)
  assistant.hear([], [{ direction: 'outbound' }], 'ticket')
  t.equal(assistant.is_typing.value, false)
  typing(true)
  typing(false)
  t.equal(assistant.is_typing.value, false)
})

t.test('a template is read once for all messages that name it, and again after a failure', async (t) => {
  const asked: Json[] = []
  let answer: () => Json = () => {
    throw new Error('away')
  }
  const api = {
    async get(_: string, query: Json) {
      asked.push(query)
      return answer()
    },
  }
  const texts = new TemplateTexts({ api })
  const named = { channel_id: 'c', name: 'order_update', language: 'es' }
  t.equal(texts.of(named).value, undefined)
  await eventually('it is forgotten', () => asked.length === 1)
  answer = () => ({ data: [{ components: [] }] })
  await eventually('it is there', () => texts.of(named).value)
  t.same(asked, [
    { ...named, limit: 1 },
    { ...named, limit: 1 },
  ])
})
