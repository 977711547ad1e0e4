/** Thoughts that a service leaves in the answers of its model are shown to nobody. */
import t from 'tap'
import { askHouse, completion, entry, event, modelServer, models, usageEvent } from './model_server.ts'

const WHOLE: [string, string, string][] = [
  ['at the beginning', '<think>\nShe wants a refund.\n</think>\n\nIt is on its way.', 'It is on its way.'],
  ['after white space', '\n\n <thinking>Hm.</thinking>It is on its way.', 'It is on its way.'],
  ['none at all', '<think>\n\n</think>\n\nIt is on its way.', 'It is on its way.'],
  ['opened in the question', 'She wants a refund.\n</think>\n\nIt is on its way.', 'It is on its way.'],
  ['with another tag in them', '<reasoning>a </think> b</reasoning>It is on its way.', 'It is on its way.'],
  ['a tag that the answer speaks of', 'Write <think> before it.', 'Write <think> before it.'],
  ['a sign that begins a tag', '<3', '<3'],
]

t.test('a whole answer is without its thoughts', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  for (const [name, content, text] of WHOLE) {
    server.answer((response) => response.end(completion({ message: { content } })))
    const answer = await askHouse(all)
    t.equal(answer.kind === 'answer' && answer.text.trim(), text, name)
  }
})

t.test('a streamed answer and its draft are without them, wherever a piece ends', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  for (const [name, content, text] of WHOLE.filter(([name]) => name !== 'opened in the question')) {
    for (const length of [1, 3, 8, content.length]) {
      const pieces = content.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []
      server.answer((response) =>
        response.end(`${pieces.map((piece) => event({ content: piece })).join('')}${event({}, 'stop')}${usageEvent}`),
      )
      let draft = ''
      const answer = await askHouse(all, { onText: (delta) => (draft += delta) })
      t.equal(answer.kind === 'answer' && answer.text.trim(), text, name)
      t.equal(draft.trim(), text, `the draft: ${name}, in pieces of ${length}`)
    }
  }
})

t.test('an answer of thoughts alone is empty, and says why', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  server.answer((response) =>
    response.end(completion({ message: { content: '<think>She wants a re' }, finish_reason: 'length' })),
  )
  t.match(await askHouse(all), { kind: 'retry', code: 'empty', message: /All its tokens went into thoughts/ })
})
