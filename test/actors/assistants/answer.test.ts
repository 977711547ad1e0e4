/** The verdicts on texts of a model. */
import t from 'tap'
import { findLinks, linksIn } from '../../../actors/assistants/answer/links.ts'
import { promisesPerson } from '../../../actors/assistants/answer/promises.ts'
import { splitText } from '../../../actors/assistants/answer/split.ts'
import {
  type AnswerQuestion,
  type AnswerVerdict,
  checkAnswer,
  handOverWords,
  Languages,
  looksLikeBot,
  mayCall,
} from '../../../actors/assistants/mod.ts'

const languages = new Languages()
t.teardown(() => languages.close())

const SOURCES = [
  { title: 'Returns', node_id: 'node-1', url: null },
  { title: 'Prices', node_id: 'node-2', url: 'https://shop.example/prices' },
]
const check = (text: string, fields: Partial<AnswerQuestion> = {}): Promise<AnswerVerdict> =>
  checkAnswer(
    {
      ...{ text, sources: SOURCES, allowed_links: linksIn('https://shop.example/track?order=1'), language: null },
      ...{
        last_answer: null,
        is_repaired: false,
        text_limit: { most: 4096, unit: 'characters' },
        is_handed_over: false,
      },
      ...fields,
    },
    languages,
  )
const left = async (text: string, fields: Partial<AnswerQuestion> = {}) => {
  const verdict = await check(text, fields)
  return verdict.kind === 'ok' ? verdict.text : `${verdict.kind}: ${verdict.reason}`
}

const kept: [text: string, left: string][] = [
  ['Your order arrives today.', 'Your order arrives today.'],
  ['  Hello \n\n\n\nthere  ', 'Hello\n\nthere'],
  ['A\u0000B\u0007C', 'ABC'],
  ['[agent] Hello', 'Hello'],
  ['[Agent Ana]: Hello', 'Hello'],
  ['See https://shop.example/track?order=1.', 'See https://shop.example/track?order=1.'],
  ['See [here](https://www.shop.example/track?order=1#x)', 'See [here](https://www.shop.example/track?order=1#x)'],
  ['Our shop is at shop.example', 'Our shop is at shop.example'],
  ['Thanks.It works', 'Thanks.It works'],
  ['Version 1.2.3 costs 10.50', 'Version 1.2.3 costs 10.50'],
  ['Write to help@shop.example', 'Write to help@shop.example'],
  ['👍', '👍'],
]

t.test('a text that is right leaves as it is', async (t) => {
  for (const [text, expected] of kept) t.equal(await left(text), expected, text)
})

const strange: [text: string, after_repair: string][] = [
  ['Pay at https://evil.example/pay now', 'Pay at now'],
  ['Pay [here](https://evil.example/pay) now', 'Pay here now'],
  ['Pay at http://shop.example@evil.example/ now', 'Pay at now'],
  ['Pay at www.evil.com', 'Pay at'],
  ['Pay at evil.com/pay.', 'Pay at .'],
  ['Pay at EVIL.COM', 'Pay at'],
  ['Pay at https://shop.example/track?order=2', 'Pay at'],
  ['Pay at https://shop.example.evil.com/track?order=1', 'Pay at'],
  ['Pay at https://ѕhop.example/track?order=1', 'Pay at'],
  ['Pay at HTTPS://EVIL.EXAMPLE/a', 'Pay at'],
  ['https://shop.example/track?order=1,https://evil.example', 'https://shop.example/track?order=1,'],
  ['Pay (https://evil.example/pay)', 'Pay ()'],
  ['Write to wa.me/123456', 'Write to'],
  [
    `See https://shop.example/track?order=1 and https://a.example/${'x'.repeat(3000)}`,
    'See https://shop.example/track?order=1 and',
  ],
]

t.test('a link from nowhere is mended once, and never leaves', async (t) => {
  for (const [text, expected] of strange) {
    t.equal(await left(text), 'repair: links', text)
    const mended = await check(text, { is_repaired: true })
    t.match(mended, { kind: 'ok', has_removed_links: true })
    t.equal(mended.kind === 'ok' && mended.text.replace(/ +/g, ' '), expected, text)
  }
  t.equal(await left('https://evil.example', { is_repaired: true }), 'hand_over: empty', 'nothing is left')
})

t.test('citations become sources, and are not in the text', async (t) => {
  const verdict = await check('Within 30 days [1]. It costs 5 € [2][1], see [1, 2]. In [2024] too [9].')
  t.match(verdict, { kind: 'ok', text: 'Within 30 days. It costs 5 €, see. In [2024] too.', sources: SOURCES })
  t.match(await check('Only this [2].'), { sources: [SOURCES[1]] })
  t.match(await check('[1] first [a](https://shop.example/track?order=1)', { sources: [] }), { sources: [] })
})

t.test('a promise leaves only in a turn that hands over', async (t) => {
  const promise = 'I will transfer you to a colleague.'
  t.equal(await left(promise), 'hand_over: promised')
  t.equal(await left(promise, { is_repaired: true }), 'hand_over: promised')
  t.equal(await left(promise, { is_handed_over: true }), promise)
})

t.test('the same answer twice hands over', async (t) => {
  t.equal(await left('Where is it?', { last_answer: 'where is it' }), 'hand_over: repeated')
  t.equal(await left('👍', { last_answer: '👍' }), 'hand_over: repeated')
  t.equal(await left('👍', { last_answer: '🎉' }), '👍')
  t.equal(await left('Where is it now?', { last_answer: 'Where is it?' }), 'Where is it now?')
})

t.test('an empty answer is mended once', async (t) => {
  for (const text of ['', ' \n', '\u200b', '...', '[1]']) {
    t.equal(await left(text), 'repair: empty', JSON.stringify(text))
    t.equal(await left(text, { is_repaired: true }), 'hand_over: empty', JSON.stringify(text))
  }
})

const SENTENCES: Record<string, string> = {
  en: 'Your order has left our store and will be at your door tomorrow afternoon.',
  es: 'Su pedido ha salido de nuestra tienda y llegará a su puerta mañana por la tarde.',
  pt: 'O seu pedido saiu da nossa loja e vai chegar à sua porta amanhã à tarde.',
  fr: 'Votre commande a quitté notre magasin et sera à votre porte demain après-midi.',
  de: 'Ihre Bestellung hat unser Geschäft verlassen und ist morgen Nachmittag an Ihrer Tür.',
  it: 'Il suo ordine ha lasciato il nostro negozio e sarà alla sua porta domani pomeriggio.',
  nl: 'Uw bestelling heeft onze winkel verlaten en is morgenmiddag bij uw deur.',
  pl: 'Twoje zamówienie opuściło nasz sklep i będzie jutro po południu pod drzwiami.',
  tr: 'Siparişiniz mağazamızdan çıktı ve yarın öğleden sonra kapınızda olacak.',
  ru: 'Ваш заказ покинул наш магазин и будет завтра днём у вашей двери.',
  ar: 'لقد غادر طلبك متجرنا وسيكون عند بابك بعد ظهر الغد.',
  zh: '您的订单已经离开我们的商店，明天下午会送到您家门口。',
  ja: 'ご注文の商品は店舗を出発し、明日の午後にお届けする予定です。',
}

t.test('an answer in another language is mended once', async (t) => {
  for (const [language, text] of Object.entries(SENTENCES)) {
    t.equal(await left(text, { language }), text, language)
    for (const [other, answer] of Object.entries(SENTENCES)) {
      if (other === language) continue
      t.equal(await left(answer, { language }), 'repair: language', `${other} instead of ${language}`)
    }
    const other = language === 'en' ? 'es' : 'en'
    t.equal(await left(SENTENCES[other]!, { language, is_repaired: true }), SENTENCES[other], 'once')
    t.equal(await left('OK!', { language }), 'OK!', 'a short text has no language')
  }
})

t.test('a long answer is divided at sentences, and shortened', async (t) => {
  const long = 'One more sentence. '.repeat(400).trim()
  const verdict = await check(long)
  t.match(verdict, { kind: 'ok' })
  const { parts } = verdict as Extract<AnswerVerdict, { kind: 'ok' }>
  t.equal(parts.length, 2)
  t.ok(parts.every((part) => part.length <= 4096 && part.endsWith('.')))
  t.equal(parts.join(' '), long)
  t.equal(await left('A sentence. '.repeat(2_000)), 'repair: too_long')
  const cut = await check('A sentence. '.repeat(2_000), { is_repaired: true })
  t.equal(cut.kind === 'ok' && cut.parts.length, 3)
  const bytes = splitText('é'.repeat(1_000), { most: 999, unit: 'bytes' }, 9)
  t.same(
    bytes.parts.map((part) => part.length),
    [499, 499, 2],
  )
  t.same(splitText('😀'.repeat(5), { most: 5, unit: 'characters' }, 2), { parts: ['😀😀', '😀😀'], rest: '😀' })
})

t.test('our own words tell of a person, in each language', async (t) => {
  const seen = new Set<string>()
  for (const language of Object.keys(SENTENCES)) {
    for (const is_outside_hours of [false, true]) {
      const words = handOverWords(language, { is_outside_hours })
      const failed = handOverWords(language, { is_outside_hours, has_failed: true })
      t.ok(failed.endsWith(words) && failed.length > words.length, language)
      t.ok(promisesPerson(words), `${language}: ${words}`)
      seen.add(words)
    }
  }
  t.equal(seen.size, 26, 'no language has the words of another')
  t.equal(handOverWords('es-MX', { is_outside_hours: false }), handOverWords('es', { is_outside_hours: false }))
  for (const unknown of [null, '', 'xx', '__proto__', 'constructor']) {
    t.equal(handOverWords(unknown, { is_outside_hours: false }), handOverWords('en', { is_outside_hours: false }))
  }
})

t.test('a turn has at most eight calls, and three alike', async (t) => {
  const call = (args: string, name = 'find') => ({ id: '1', name, arguments: args })
  const step = (args: string, name = 'find') => ({ kind: 'tool' as const, name, arguments: args })
  t.same(mayCall([], call('{}')), { may: true })
  const alike = [
    step('{"a":1,"b":{"c":[1,{"d":2}]}}'),
    step('{"b": {"c":[1,{"d":2}]}, "a":1.0}'),
    step('{"a":1,"b":{"c":[1,{"d":2}]}}'),
  ]
  t.match(mayCall(alike, call('{ "b":{"c":[1,{"d":2}]},"a":1 }')), { may: false, code: 'too_many_alike' })
  t.same(mayCall(alike, call('{"a":2}')), { may: true })
  t.same(mayCall(alike, call('{"a":1,"b":{"c":[1,{"d":2}]}}', 'other')), { may: true })
  t.match(mayCall([step(''), step('{}'), step(' {} ')], call('')), { may: false, code: 'too_many_alike' })
  t.match(mayCall([step('{'), step('{'), step('{')], call('{')), { may: false, code: 'too_many_alike' })
  const eight = Array.from({ length: 8 }, (_, n) => step(`{"n":${n}}`))
  t.match(mayCall(eight, call('{"n":9}')), { may: false, code: 'too_many_steps' })
  const models = Array.from({ length: 20 }, () => ({ kind: 'model' as const, name: 'find' }))
  t.same(mayCall(models, call('{}')), { may: true }, 'calls of the model do not count')
})

t.test('links are found in linear time', async (t) => {
  const time = (length: number) => {
    const texts = ['http://', 'www.', 'a.com,', 'https://a.b/('.repeat(3), '[x](', '.'].map((part) =>
      part.repeat(length),
    )
    const begin = process.cpuUsage()
    for (const text of texts) findLinks(text)
    return process.cpuUsage(begin).user
  }
  time(100)
  t.ok(time(20_000) < 60 * Math.max(2_000, time(1_000)))
  const timeOfWord = (length: number) => {
    const begin = process.cpuUsage()
    findLinks(`a${')'.repeat(length)}`)
    return process.cpuUsage(begin).user
  }
  timeOfWord(100)
  t.ok(timeOfWord(400_000) < 60 * Math.max(2_000, timeOfWord(20_000)), 'closing signs alone')
})

t.test('letters that stand for many cost as much as others', async (t) => {
  const time = async (letters: string, last = letters.slice(1)) => {
    const text = letters.repeat(4_000)
    const begin = process.cpuUsage()
    await check(text, { last_answer: `${last}${text}` })
    looksLikeBot(Array.from({ length: 20 }, () => ({ direction: 'inbound' as const, at: new Date(), text })))
    return process.cpuUsage(begin).user
  }
  await time('word ')
  const plain = Math.max(5_000, await time('word '))
  const ligatures = await time('\ufdfa \ufdfb ')
  t.ok(ligatures < 15 * plain, `${ligatures} µs, words ${plain} µs`)
})
