/** Drafts of answers: what may be seen before an answer is whole. */
import t from 'tap'
import { AnswerDraft } from '../../../actors/assistants/answer/answer_draft.ts'

const text_limit = { most: 4000, unit: 'characters' } as const
const shop = { title: 'Shop', node_id: 'kn_1', url: null }

/** The drafts of a text that comes in pieces of some characters. */
function draftsOf(text: string, { step = 1, allowed_links = [] as string[], most = 4000 } = {}): string[] {
  const draft = new AnswerDraft({ sources: [shop], allowed_links, text_limit: { ...text_limit, most } })
  const drafts: string[] = []
  for (let at = 0; at < text.length; at += step) {
    draft.add(text.slice(at, at + step))
    drafts.push(draft.text)
  }
  return drafts
}

t.test('an answer grows word by word', async (t) => {
  const drafts = [...new Set(draftsOf('Your order arrives tomorrow.\nHave a nice day '))]
  t.same(drafts, [
    '',
    'Your',
    'Your order',
    'Your order arrives',
    'Your order arrives tomorrow.',
    'Your order arrives tomorrow.\nHave',
    'Your order arrives tomorrow.\nHave a nice',
    'Your order arrives tomorrow.\nHave a nice day',
  ])
  for (const [index, one] of drafts.entries()) t.ok(one.startsWith(drafts[index - 1] ?? ''), 'nothing is taken back')
})

t.test('no part of a link that is not allowed is seen', async (t) => {
  for (const link of [
    'https://evil.example.com/a',
    'evil.com/a?b=c',
    'www.evil.com',
    '[here](https://evil.com/a)',
    'http://evil.com',
  ]) {
    for (const step of [1, 3, 7, 100]) {
      const drafts = draftsOf(`Pay here: ${link} now. Then it is yours, soon. Bye `, { step })
      t.notMatch(drafts.join('\n'), /evil|http|www|now/, `${link}, ${step}`)
    }
  }
  t.notMatch(draftsOf('请访问https://evil.com查看。谢谢。').join('\n'), /http|evil/)
  t.match(draftsOf('请访问https://evil.com查看。谢谢。').at(-1), '请访问')
  const allowed = draftsOf('See https://shop.example.com/a for more ', { allowed_links: ['shop.example.com/a'] })
  t.equal(allowed.at(-1), 'See https://shop.example.com/a for more')
})

t.test('no part of a promise is seen that says more than who writes', async (t) => {
  const promises: [string, RegExp][] = [
    ["It is broken. I'll transfer you to a colleague now. Bye.\n", /transfer|colleague|Bye/],
    ['Entiendo. Te paso con un agente. Hasta luego.\n', /paso|agente/],
    ['Einen Moment. Ich verbinde Sie mit einem Kollegen. Bis gleich.\n', /verbinde|Kollegen/],
    ['わかりました。担当者におつなぎします。\n', /担当|つなぎ/],
    ['好的。我帮您转接人工客服。\n', /转接|人工/],
  ]
  for (const [text, words] of promises) {
    for (const step of [1, 5, 200]) {
      const drafts = draftsOf(text, { step })
      t.notMatch(drafts.join('\n'), words, `${text}, ${step}`)
      t.equal(drafts.at(-1), '', 'it is taken away')
    }
  }
  t.equal(draftsOf('Our team is here from 9 to 5. Good?\n').at(-1), 'Our team is here from 9 to 5. Good?')
})

t.test('citations and marks are left out, and a limit ends the draft', async (t) => {
  for (const draft of draftsOf('[assistant]: It is open [1]. See you [1; 1] soon.\n'))
    t.notMatch(draft, /[[\]]|assistant/)
  t.equal(draftsOf('It is open [1]. See you [1; 1] soon.\n').at(-1), 'It is open. See you soon.')
  t.ok(draftsOf('word '.repeat(50), { most: 60 }).every((draft) => draft.length <= 60))
})

/** Microseconds of the processor for the looks at a text that comes in pieces. */
function costOf(piece: string, allowed_links: string[] = []): number {
  const draft = new AnswerDraft({ sources: [], allowed_links, text_limit })
  const begin = process.cpuUsage()
  for (let length = 0; length < 12_000; length += piece.length) {
    draft.add(piece)
    t.ok(draft.text.length <= 12_000)
  }
  return process.cpuUsage(begin).user
}

t.test('a text without an end costs little', async (t) => {
  costOf('Yes. '.repeat(60))
  const plain = Math.max(5_000, costOf('Yes. '.repeat(60)))
  const links = Array.from({ length: 20_000 }, (_, n) => `shop.example/page/${n}`)
  const costs = {
    'open brackets': costOf('a[b'.repeat(100)),
    'signs of China': costOf('漢'.repeat(300)),
    'sentences that end in open brackets': costOf(`${'漢'.repeat(299)}[。`),
    'many links': costOf('Yes. '.repeat(60), links),
  }
  for (const [what, cost] of Object.entries(costs)) t.ok(cost < 20 * plain, `${what}: ${cost} µs, plain ${plain} µs`)
})
