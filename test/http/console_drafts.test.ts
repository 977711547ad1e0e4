/** Drafts of replies on the console's page: when they are saved, and what other tabs save meanwhile. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { draftServer } from './draft_server.ts'

const inbox = join(import.meta.dirname, '../../http/console/page/inbox')
const { DraftKeeper } = (await import(join(inbox, 'composer/draft.ts'))) as Json

const draft = (content: string) => ({ content, attachments: [], context: null })
const keeperOf = (api: Json, shown: string[] = []) =>
  new DraftKeeper({ api, ticket_id: 't', kind: 'reply', onContent: ({ content }: Json) => shown.push(content) })

t.test('a draft is saved after a pause, the last text once', async (t) => {
  const server = draftServer()
  const keeper = keeperOf(server)
  for (const text of ['a', 'ab', 'abc']) keeper.change(draft(text))
  await eventually('it is saved', async () => server.stored().content === 'abc')
  t.same(server.saves, ['abc'])
})

t.test('what is typed during a save is saved after it, with the next version', async (t) => {
  const server = draftServer()
  const keeper = keeperOf(server)
  let release = () => {}
  server.hold = new Promise((resolve) => {
    release = resolve
  })
  keeper.change(draft('one'))
  keeper.flush()
  await eventually('it is under way', async () => server.saves.length === 1)
  keeper.change(draft('two'))
  release()
  await eventually('both are saved', async () => server.stored().content === 'two')
  t.equal(server.stored().version, 2)
})

t.test('a draft that another tab saved first does not win over what is typed here', async (t) => {
  const server = draftServer()
  const [one, other] = [keeperOf(server), keeperOf(server)]
  other.change(draft('other'))
  other.flush()
  await eventually('the other is first', async () => server.stored().content === 'other')
  one.change(draft('mine'))
  one.flush()
  await eventually('this one is last', async () => server.stored().content === 'mine')
  t.equal(server.stored().version, 2)
})

t.test('what another tab saves is shown, unless something typed here is not saved yet', async (t) => {
  const shown: string[] = []
  const keeper = keeperOf(draftServer(), shown)
  const heard = (version: number, content: string) =>
    keeper.hear({ type: 'draft.saved', data: { ticket_id: 't', kind: 'reply', version, ...draft(content) } })
  heard(1, 'from the other tab')
  heard(1, 'again')
  t.same(shown, ['from the other tab'])
  keeper.change(draft('typed here'))
  heard(2, 'late')
  t.same(shown, ['from the other tab'])
  keeper.hear({ type: 'draft.deleted', data: { ticket_id: 't', kind: 'note', version: 9 } })
  t.same(shown, ['from the other tab'], 'the note is another draft')
})
