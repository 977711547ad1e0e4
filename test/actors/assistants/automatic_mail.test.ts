/** Messages of programs. */
import t from 'tap'
import { isAutomaticMail, looksLikeBot } from '../../../actors/assistants/mod.ts'

const automatic: [what: string, message: Record<string, unknown>, from?: string][] = [
  ['an answer of a program', { auto_submitted: 'auto-replied' }],
  ['a mail of a list', { auto_submitted: 'list' }],
  ['a bulk mail', { auto_submitted: 'bulk' }],
  ['junk', { auto_submitted: 'junk' }],
  ['a bounce from the daemon', {}, 'MAILER-DAEMON@mx.example.com'],
  ['a report of Exchange', {}, `MicrosoftExchange${'329e71ec88ae4615bbc36ab6ce41109e'}@example.com`],
  ['one that takes no answers', {}, 'no-reply@example.com'],
  ['the same in one word', {}, 'noreply+123@example.com'],
  ['the same in another form', {}, 'do_not_reply@example.com'.replace(/_/g, '-')],
  ['a return path with a tag', {}, 'bounces+17-abc=x@lists.example.com'],
  ['a sender beside the contact', { sender: { address: 'noreply@shop.example', name: null } }, 'person@example.com'],
  ...[
    ...['Automatic reply: Your order', 'Out of Office Re: order', 'Auto: away', 'Respuesta automática: pedido'],
    ...['Resposta automática: pedido', 'Réponse automatique : commande', 'Automatische Antwort: Bestellung'],
    ...['Risposta automatica: ordine', 'Automatisch antwoord: bestelling', 'Odpowiedź automatyczna: zamówienie'],
    ...[
      'Otomatik yanıt: sipariş',
      'Автоматический ответ: заказ',
      'رد تلقائي: الطلب',
      '自动回复：订单',
      '自動応答: 注文',
    ],
    ...['Undelivered Mail Returned to Sender', 'Undeliverable: order', 'Delivery Status Notification (Failure)'],
    ...['Mail delivery failed: returning message to sender', 'Read: Your order'],
  ].map((subject): [string, Record<string, unknown>, string] => [subject, { subject }, 'person@example.com']),
]

const personal: [what: string, message: Record<string, unknown>, from?: string][] = [
  ['a mail of a person', { subject: 'My order', body: 'Where is it?' }, 'ana@example.com'],
  ['an answer', { subject: 'Re: Your order' }, 'ana@example.com'],
  ['a question about automatic things', { subject: 'Question about the automatic reply' }, 'ana@example.com'],
  ['a name that begins like one', {}, 'noreplyson@example.com'],
  ['a person of the post', {}, 'post@example.com'],
  ['no sender', { subject: null }],
  ['a broken sender', { sender: 'noreply@example.com' }, 'not an address'],
]

t.test('automatic mail is told from that of people', async (t) => {
  for (const [what, message, from] of automatic) t.ok(isAutomaticMail(message, from ?? null), what)
  for (const [what, message, from] of personal) t.notOk(isAutomaticMail(message, from ?? null), what)
})

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1_000)
const exchange = (...said: [direction: 'in' | 'out', seconds: number, text: string][]) =>
  said.map(([direction, seconds, text]) => ({
    direction: direction === 'in' ? ('inbound' as const) : ('outbound' as const),
    at: at(seconds),
    text,
  }))

t.test('another program is recognised by its haste and by its words', async (t) => {
  const hasty = exchange(
    ...([
      ['out', 0, 'a'],
      ['in', 1, 'one'],
      ['out', 10, 'b'],
      ['in', 11, 'two'],
      ['out', 20, 'c'],
    ] as ['in' | 'out', number, string][]),
    ['in', 22, 'three'],
  )
  t.ok(looksLikeBot(hasty))
  t.notOk(looksLikeBot(hasty.slice(0, 4)), 'twice is no proof')
  const slow = hasty.map((one, n) => (n === 3 ? { ...one, at: at(15) } : one))
  t.notOk(looksLikeBot(slow), 'a person hesitates once')
  const thanks = 'Thank you for your message. We answer soon.'
  const same = exchange(
    ['in', 0, thanks],
    ['out', 60, 'a'],
    ['in', 120, `  ${thanks.toUpperCase()}`],
    ['out', 180, 'b'],
    ['in', 240, thanks],
  )
  t.ok(looksLikeBot(same))
  t.notOk(looksLikeBot(same.slice(0, 3)))
  t.notOk(looksLikeBot([...same, ...exchange(['in', 300, 'A person at last'])]), 'the last message decides')
  t.notOk(looksLikeBot(exchange(['in', 0, 'ok'], ['in', 60, 'ok'], ['in', 120, 'ok'])), 'people say ok')
  const burst = exchange(['out', 0, 'a'], ['in', 30, 'one'], ['in', 31, 'two'], ['in', 32, 'three'], ['in', 33, 'four'])
  t.notOk(looksLikeBot(burst), 'a burst is one answer')
  t.notOk(looksLikeBot([]))
})
