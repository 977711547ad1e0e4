/**
 * The board, and contacts and customers, without a DOM and without a server: what their modules do with answers and events.
 * One file, because all of them show the same few records.
 */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { Board } = await load('board/board.ts')
const { BoardTotals } = await load('board/board_totals.ts')
const { Conflict } = await load('board/card_changes.ts')
const { pressCard } = await load('board/card_keys.ts')
const { totalAfter } = await load('board/cards.ts')
const { Desk } = await load('board/desk.ts')
const { boardPlaceOf } = await load('board/places.ts')
const { ApiError } = await load('data/api.ts')
const { RecordChanges } = await load('data/record_changes.ts')
const { Records } = await load('data/records.ts')
const { PeopleList } = await load('people/people_list.ts')
const { initials } = await load('ui/pictures/initials.ts')
const { entriesOf, withLatest } = await load('people/timeline.ts')

const STAGES = [
  { _id: 'a', name: 'New', rules: {} },
  { _id: 'b', name: 'Offer', rules: {} },
  { _id: 'c', name: 'Paid', rules: {} },
]
const at = (n: number) => `2026-11-21T10:00:${String(n).padStart(2, '0')}.000Z`
const card = (n: number, stage_id: string | null = 'a', fields: Json = {}): Json => ({
  ticket_id: `t${n}`,
  version: 1,
  is_closed: false,
  contact: { _id: `c${n}`, name: `Person ${n}`, user_id: `${n}` },
  last_message: null,
  last_activity_at: at(n),
  waiting_since: null,
  unread_count: 0,
  assigned_to: null,
  stage: stage_id && { stage_id, name: 'x' },
  tags: [],
  priority: null,
  amount: 10,
  amount_currency: 'MXN',
  summary: null,
  ...fields,
})
const ticketOf = ({ ticket_id, stage, contact, ...fields }: Json, more: Json = {}): Json => ({
  _id: ticket_id,
  chat_user: contact._id,
  chat_user_name: contact.name,
  conversation_summary: null,
  category: null,
  ...fields,
  stage: { stage_id: stage?.stage_id ?? null },
  version: 2,
  ...more,
})
const ticketChange = (after: Json | undefined, id = after?._id): Json => ({
  kind: 'ticket',
  id,
  after,
  is_new: false,
  is_part: false,
  is_stale: false,
})

/** A board with these cards. `answer` is asked for each change. */
async function openBoard(cards: Json[], answer: (path: string, json: Json, version: number) => unknown, filter = {}) {
  const asked: [string, Json][] = []
  const change = async (path: string, json: Json, { version }: Json = {}) => answer(path, json, version)
  const api = {
    async get(path: string, query: Json) {
      asked.push([path, query])
      if (path === 'board/totals')
        return { data: STAGES.map(({ _id }) => ({ stage_id: _id, tickets: 5, amounts: [] })) }
      if (path !== 'board') return answer(path, {}, 0)
      const of = (stage_id: string | null) => cards.filter(({ stage }) => (stage?.stage_id ?? null) === stage_id)
      return { columns: [null, 'a', 'b', 'c'].map((id) => ({ stage_id: id, data: of(id), next_cursor: null })) }
    },
    post: change,
    patch: change,
  }
  const definitions = {
    pipelines: [{ _id: 'p', name: 'Sales', is_default: true, stages: STAGES }],
    users: [],
    tags: [],
  }
  const project = {
    api,
    user: { _id: 'me' },
    definitions: { value: definitions, peek: () => definitions },
  }
  const board = new Board(project, 'p', filter)
  await board.read()
  const desk = new Desk(project, board)
  t.teardown(() => board.close())
  const ids = () => board.columns.value.map((column: Json) => column.ids.value.join())
  return { board, desk, asked, ids }
}

t.test('cards are in their stages, the latest first, and move before the server answers', async (t) => {
  let release = (_: unknown) => {}
  const { board, ids } = await openBoard(
    [card(1), card(2), card(3, 'b')],
    () => new Promise((done) => (release = done)),
  )
  await eventually('the totals are there', () => board.totals.value.size === 3)
  t.same(ids(), ['', 't2,t1', 't3', ''])
  const moving = board.move('t1', 'b')
  t.same(ids(), ['', 't2', 't3,t1', ''])
  t.equal(board.totals.value.get('a').tickets, 4)
  t.match(board.totals.value.get('b'), { tickets: 6, amounts: [{ currency: 'MXN', amount: 10 }] })
  await eventually('it is asked', () => release.name === 'done' || release.length === 1)
  release({ ticket: ticketOf(card(1, 'b')) })
  await moving
  t.same(ids(), ['', 't2', 't3,t1', ''])
})

t.test('a refused move is taken back, and asks for what is missing', async (t) => {
  const refuse = () => {
    throw new ApiError('STAGE_REQUIREMENTS_NOT_MET', 'no', { status: 422, details: { fields: ['amount'] } })
  }
  const { board, desk, ids } = await openBoard([card(1)], refuse)
  await desk.move('t1', 'c')
  t.same(ids(), ['', 't1', '', ''])
  t.same(desk.asked.value, { id: 't1', stage_id: 'c', missing: ['amount'] })
  t.match(desk.said.value, /stays in New/)
  await t.rejects(board.move('t1', 'b'))
})

t.test('a move is repeated to a newer version, unless somebody else moved the same ticket', async (t) => {
  const versions: number[] = []
  let theirs = 'a'
  const { board, ids } = await openBoard([card(1), card(2)], (path, { stage_id }, version) => {
    const n = path.includes('t1') ? 1 : 2
    if (stage_id === undefined) return ticketOf(card(n, theirs), { version: 7 })
    versions.push(version)
    if (version !== 7) throw new ApiError('VERSION_MISMATCH', 'no', { status: 412 })
    return { ticket: ticketOf(card(n, stage_id), { version: 8 }) }
  })
  await board.move('t1', 'b')
  t.same(versions, [1, 7])
  t.same(ids(), ['', 't2', 't1', ''])
  theirs = 'c'
  t.ok((await board.move('t2', 'b').catch((error: unknown) => error)) instanceof Conflict)
  t.same(ids(), ['', '', 't1', 't2'], 'the card is where they put it')
})

t.test('events move cards, bring new ones, and take away those that are closed', async (t) => {
  const { board, ids } = await openBoard([card(1), card(2)], () => ({}))
  board.hear([], [ticketChange(ticketOf(card(1, 'b'))), ticketChange(ticketOf(card(9, 'c')))])
  t.same(ids(), ['', 't2', 't1', 't9'])
  board.hear([], [ticketChange(ticketOf(card(2), { is_closed: true })), ticketChange(undefined, 't9')])
  t.same(ids(), ['', '', 't1', ''])
})

t.test('cards that the filter does not fit do not come in', async (t) => {
  const { board, ids } = await openBoard([card(1)], () => ({}), { assigned_to: 'none', priority: 'high' })
  board.hear([], [ticketChange(ticketOf(card(2))), ticketChange(ticketOf(card(3), { priority: 'high' }))])
  t.same(ids()[1], 't3', 'and one whose priority is another leaves')
})

t.test('keys go from card to card, carry one, and drop it', async (t) => {
  const moves: Json[] = []
  const cards = [card(1), card(2), card(3, 'c')]
  const { desk, ids } = await openBoard(cards, (_, json) => {
    moves.push(json)
    return { ticket: ticketOf(card(2, json.stage_id)) }
  })
  const press = (key: string, id = desk.at.value) => pressCard(desk, id, key)
  press('ArrowDown', 't2')
  t.equal(desk.at.value, 't1')
  press('ArrowRight')
  t.equal(desk.at.value, 't3', 'empty columns are skipped')
  press('ArrowLeft')
  t.equal(desk.at.value, 't2')
  t.equal(press('z'), false)
  press(' ')
  press('ArrowRight')
  t.same(ids(), ['', 't1', 't2', 't3'], 'it is shown where it is carried')
  t.match(desk.said.value, /Over Offer, stage 2 of 3/)
  press('Escape')
  t.same(ids(), ['', 't2,t1', '', 't3'])
  press(' ')
  press('ArrowLeft')
  t.match(desk.said.value, /first stage/)
  press('ArrowRight')
  press('Enter')
  await eventually('it is moved', () => moves.length === 1)
  t.same(moves, [{ stage_id: 'b' }])
  t.same(ids(), ['', 't1', 't2', 't3'])
})

t.test('sums follow the amounts, by currency', (t) => {
  const total = { stage_id: 'a', tickets: 1, amounts: [{ currency: 'MXN', amount: 0.1 }] }
  const more = totalAfter(total, { amount: 0.2, amount_currency: 'MXN' }, 1)
  t.same(more, { stage_id: 'a', tickets: 2, amounts: [{ currency: 'MXN', amount: 0.3 }] })
  t.same(totalAfter(more, { amount: 0.3, amount_currency: 'MXN' }, -1).amounts, [])
  t.equal(totalAfter(total, { amount: 5, amount_currency: null }, 1).amounts.length, 2)
  t.equal(totalAfter(total, { amount: null, amount_currency: null }, 1).tickets, 2)
  t.end()
})

t.test('a card that moves with a new amount takes its former one from the stage that it leaves', (t) => {
  const totals = new BoardTotals({ ask: async () => ({ data: [] }), isChanging: () => false, failed() {} })
  const mxn = (amount: number) => [{ currency: 'MXN', amount }]
  totals.value.value = new Map([
    ['a', { stage_id: 'a', tickets: 2, amounts: mxn(10) }],
    ['b', { stage_id: 'b', tickets: 0, amounts: [] }],
  ])
  const without = { amount: null, amount_currency: null }
  const priced = { amount: 149.9, amount_currency: 'MXN' }
  totals.count(card(1, 'a', without), card(1, 'b', priced))
  t.match(totals.value.value.get('a'), { tickets: 1, amounts: mxn(10) })
  t.match(totals.value.value.get('b'), { tickets: 1, amounts: mxn(149.9) })
  totals.count(card(1, 'b', priced), card(1, 'b', { ...priced, amount: 100 }))
  t.match(totals.value.value.get('b'), { tickets: 1, amounts: mxn(100) }, 'within a stage, too')
  t.end()
})

t.test('initials are whole characters, of words where there are any', (t) => {
  const initialsOf = ['João Silva 🇧🇷', 'ana', '🇧🇷', '+1555', 'Élodie  Été', ''].map(initials)
  t.same(initialsOf, ['JS', 'A', '🇧🇷', '1', 'ÉÉ', ''])
  t.end()
})

t.test('places of the board have only parameters that exist', (t) => {
  t.same(boardPlaceOf({ path: ['p'], query: { search: 'ana', other: '1' } }), {
    pipeline_id: 'p',
    filter: { search: 'ana' },
  })
  t.end()
})

t.test('a list of people reads the pages in view, and each of them once', async (t) => {
  const asked: number[] = []
  const api = {
    get: async (_: string, { offset, limit }: Json) => {
      asked.push(offset)
      return {
        data: Array.from({ length: limit }, (_, n) => ({ _id: `${offset + n}`, updated_at: at(1) })),
        total: 1_000_000,
      }
    },
  }
  const records = new Records()
  const list = new PeopleList({ api, records }, 'contact', {})
  await list.read()
  t.same([list.total.value, list.idAt(3), list.idAt(99)], [1_000_000, '3', undefined])
  list.need(500_040, 500_060)
  list.need(500_040, 500_060)
  await eventually('they are there', () => list.idAt(500_059) === '500059')
  t.same(asked, [0, 500_000, 500_050])
  for (let n = 0; n < 40; n++) list.need(n * 1000, n * 1000 + 1)
  await eventually('the last is there', () => list.idAt(39_000) === '39000')
  t.ok(list.pages.value.size <= 13, 'few pages are kept')
})

t.test('a change of a contact is merged with those of other fields, and asks about the same', async (t) => {
  let stored: Json = { _id: 'x', name: 'Ana', custom_fields: { city: 'Puebla' }, updated_at: at(1) }
  const records = new Records()
  const sent: Json[] = []
  const api = {
    get: async () => stored,
    patch: async (_: string, json: Json) => {
      sent.push(json)
      stored = { ...stored, ...json, updated_at: at(10 * sent.length + 30) }
      return stored
    },
  }
  records.keep('contact', stored)
  const changes = new RecordChanges({ api, records }, 'contact', 'x')
  stored = { ...stored, name: 'Ana T.', custom_fields: { city: 'Puebla', size: 38 }, updated_at: at(2) }
  await changes.change('the city', { custom_fields: { city: 'Toluca' } })
  t.same(sent, [{ custom_fields: { city: 'Toluca', size: 38 } }])
  stored = { ...stored, name: 'Somebody', updated_at: at(50) }
  await changes.change('the name', { name: 'Mine' })
  t.match(changes.conflict.value, { theirs: { name: 'Somebody' }, mine: { name: 'Mine' } })
  t.equal(records.get('contact', 'x').name, 'Somebody')
  await changes.conflict.value.insist()
  t.equal(stored.name, 'Mine')
  t.equal(changes.conflict.value, null)
  await changes.change('the name', { name: 'Mine' })
  t.equal(sent.length, 2, 'what is so already is not sent')
})

t.test('a timeline shows only what nothing later can precede', (t) => {
  const item = (n: number) => ({ _id: `${n}`, created_at: at(n) })
  const streams = [
    { kind: 'message', path: '', items: [9, 7, 5].map(item), cursor: 'more' },
    { kind: 'note', path: '', items: [8, 1].map(item), cursor: null },
  ]
  t.same(
    entriesOf(streams).map(({ id }: Json) => id),
    ['9', '8', '7', '5'],
  )
  const page = (...n: number[]) => ({ data: n.map(item), next_cursor: 'next' })
  const idsOf = ({ items }: Json) => items.map(({ _id }: Json) => _id)
  t.same(idsOf(withLatest(streams[0], page(11, 9, 7))), ['11', '9', '7', '5'])
  t.same(idsOf(withLatest(streams[0], page(20, 19))), ['20', '19'], 'without a gap')
  t.end()
})
