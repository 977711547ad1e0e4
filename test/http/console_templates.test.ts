/** The form of a template in the console: the draft, its variables, and the bodies of the requests. */
import t from 'tap'
import {
  changesOf,
  componentsOf,
  type Draft,
  draftOf,
  faultsOf,
  fieldsOf,
  isChanged,
  NEW_DRAFT,
  variablesOf,
} from '../../http/console/page/broadcasts/templates/draft.ts'
import { notesOf, stateOf } from '../../http/console/page/broadcasts/templates/words.ts'

const draft: Draft = {
  ...NEW_DRAFT,
  channel_id: 'c',
  name: ' order_ready ',
  header: 'For {{1}}',
  body: 'Hi {{1}}, {{ 2 }} is ready.',
  footer: ' Bye ',
  buttons: [
    { type: 'QUICK_REPLY', text: 'Thanks', url: '' },
    { type: 'URL', text: 'See it', url: 'https://shop.example.com/{{1}}' },
  ],
  examples: { header_1: 'members', 1: 'Ana', 2: 'it', button_1: 'a-1', gone: 'x' },
}

const template = (components: object[]) =>
  ({ channel_id: 'c', name: 'n', language: 'es', category: 'UTILITY', components }) as never

t.test('a draft has the variables of a send, and sends examples of these alone', (t) => {
  t.same(variablesOf(draft), ['header_1', '1', '2', 'button_1'])
  t.match(fieldsOf(draft), { name: 'order_ready', channel_id: 'c', category: 'UTILITY' })
  t.same(fieldsOf(draft).examples, { header_1: 'members', 1: 'Ana', 2: 'it', button_1: 'a-1' })
  t.same(variablesOf({ ...draft, body: 'Hi {{name}}.', header: 'For {{1}}', buttons: [] }), ['1', 'name'])
  t.end()
})

t.test('a template becomes a draft and stays as it was', (t) => {
  const components = componentsOf(draft)
  t.same(componentsOf(draftOf(template(components))!), components)
  t.same(draftOf(template([{ type: 'BODY', text: 'x' }]))!.buttons, [])
  for (const [what, odd] of Object.entries({
    'a place': { type: 'HEADER', format: 'LOCATION' },
    cards: { type: 'CAROUSEL', cards: [] },
    'a form': { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Open' }] },
    'a code': { type: 'BODY' },
  }))
    t.equal(draftOf(template([odd])), undefined, what)
  t.end()
})

t.test('a header is a file with an example, or a text', (t) => {
  const file = { media_id: 'f'.repeat(24), name: 'a.png' }
  const of_file = { ...draft, header_format: 'IMAGE' as const, file }
  t.same(componentsOf(of_file)[0], { type: 'HEADER', format: 'IMAGE' })
  t.same(variablesOf(of_file), ['1', '2', 'button_1'])
  t.same(fieldsOf(of_file).examples, { header_image: file.media_id, 1: 'Ana', 2: 'it', button_1: 'a-1' })
  t.notOk('header_image' in fieldsOf({ ...of_file, header_format: 'TEXT' }).examples)
  const known = draftOf(
    template([
      { type: 'HEADER', format: 'DOCUMENT' },
      { type: 'BODY', text: 'x' },
    ]),
  )
  t.match(known, { header_format: 'DOCUMENT', file: null })
  t.same(faultsOf([{ path: 'examples.header_document', message: 'is needed' }], []), { file: 'It is needed.' })
  t.ok(isChanged('file', { ...of_file, file: null }, of_file))
  t.end()
})

t.test('an edit leaves out a category that stays', (t) => {
  t.notOk('category' in changesOf(draft, template([])))
  t.match(changesOf({ ...draft, category: 'MARKETING' }, template([])), { category: 'MARKETING' })
  t.end()
})

t.test('each violation is shown at its field', (t) => {
  const violations = [
    { path: 'name', message: 'must consist of small letters' },
    { path: 'components.1.text', message: 'must end with a word' },
    { path: 'components.3.buttons.0.text', message: 'is needed' },
    { path: 'examples.button_1', message: 'is needed' },
    { path: 'components', message: 'must have a BODY' },
  ]
  t.same(faultsOf(violations, componentsOf(draft)), {
    name: 'It must consist of small letters.',
    body: 'It must end with a word.',
    buttons: 'It is needed.',
    'example button_1': 'It is needed.',
  })
  t.end()
})

t.test('the state of a template is in words', (t) => {
  const facts = {
    rejected_reason: null,
    quality: 'GREEN',
    category: 'UTILITY',
    next_category: null,
    previous_category: null,
  }
  t.same(stateOf({ status: 'PENDING' }), { style: 'queued', word: 'In review' })
  t.same(stateOf({ status: 'FLAGGED' }), { style: 'cancelled', word: 'Flagged' })
  t.same(notesOf(facts as never), [])
  const worse = { ...facts, rejected_reason: 'INVALID_FORMAT', quality: 'RED', next_category: 'MARKETING' }
  t.same(notesOf(worse as never), [
    'WhatsApp’s reason: Invalid format.',
    'Rated low: people block or report it.',
    'Will become Marketing.',
  ])
  t.end()
})
