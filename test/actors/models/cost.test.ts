/** Costs are exact, and estimates of tokens are rather too high than too low. */
import t from 'tap'
import { priceOf } from '../../../actors/models/cost.ts'
import { costOf, decimalOf, estimateTokens, isPrice } from '../../../actors/models/mod.ts'
import { minTime } from '../../support/hostile/cost.ts'

const usage = (input_tokens: number, output_tokens: number) => ({ input_tokens, output_tokens })

t.test('costs', async (t) => {
  const price = priceOf({ input: '0.25', output: '2', currency: 'USD' })
  t.equal(decimalOf(costOf(usage(1_000_000, 1_000_000), price)), '2.25')
  t.equal(decimalOf(costOf(usage(1, 0), price)), '0.00000025')
  t.equal(decimalOf(costOf(usage(0, 0), price)), '0')
  const smallest = priceOf({ input: '0.000001', output: '999999999.999999', currency: 'EUR' })
  t.equal(decimalOf(costOf(usage(1, 0), smallest)), '0.000000000001')
  t.equal(decimalOf(costOf(usage(0, 1_000_000_000), smallest)), '999999999999.999')
})

t.test('sums of costs are those of their decimals', async (t) => {
  const price = priceOf({ input: '0.1', output: '0.2', currency: 'USD' })
  let sum = 0n
  for (let n = 0; n < 3000; n++) sum += costOf(usage(1, 1), price)
  t.equal(decimalOf(sum), '0.0009')
  t.equal(sum, costOf(usage(3000, 3000), price))
})

t.test('prices', async (t) => {
  for (const right of ['0', '0.25', '15', '0.000001', '999999999']) t.ok(isPrice(right), right)
  for (const wrong of ['', '-1', '1e3', '.5', '1.', '0.0000001', '1234567890', '1,5', ' 1'])
    t.notOk(isPrice(wrong), wrong)
})

const texts: [string, string, number][] = [
  [
    'English',
    'Where is my order? I have been waiting for two weeks and nobody answers. The number is A1234 and I paid by card.',
    28,
  ],
  [
    'Spanish',
    '¿Dónde está mi pedido? Llevo dos semanas esperando y nadie contesta. El número es A1234 y pagué con tarjeta.',
    34,
  ],
  ['Russian', 'Где мой заказ? Я жду уже две недели, и никто не отвечает. Номер A1234, оплачено картой.', 41],
  ['Arabic', 'أين طلبي؟ أنتظر منذ أسبوعين ولا أحد يجيب. الرقم A1234 وقد دفعت بالبطاقة.', 56],
  ['Chinese', '我的订单在哪里?我已经等了两个星期,没有人回答。订单号是A1234,我用信用卡付款。', 39],
  ['digits', '4929 1182 0093 7712, 2026-11-30T12:44:09Z, +1 555 123 4567, 66f2a0c1d4e5f60718293a4d', 56],
]

t.test('estimates lie above what the tables of OpenAI count, and below three times that', async (t) => {
  const empty = estimateTokens({ messages: [{ role: 'user', parts: [{ type: 'text', text: '' }] }], tools: [] })
  for (const [language, text, counted] of texts) {
    const estimate =
      estimateTokens({ messages: [{ role: 'user', parts: [{ type: 'text', text }] }], tools: [] }) - empty
    // The greater count of o200k_base and cl100k_base, taken once with gpt-tokenizer 4.0.0.
    t.ok(estimate >= counted * 0.95 && estimate < 3 * counted, `${language}: ${estimate} for ${counted}`)
  }
})

t.test('an estimate costs time in proportion to the text', async (t) => {
  const times = (rounds: number, text: string) => () => {
    for (let round = 0; round < rounds; round++) estimateTokens({ messages: [{ role: 'system', text }], tools: [] })
  }
  for (const piece of ['7', 'a', ' ', '字', '\ud800']) {
    const small = minTime(3, times(10, piece.repeat(1_000_000)))
    const large = minTime(3, times(1, piece.repeat(10_000_000)))
    // The clock of a thread may have steps of 10 ms.
    t.ok(large < 4 * (small + 10), `${piece}: ${large} ms at once, ${small} ms in ten parts`)
  }
})

t.test('files', async (t) => {
  const of = (media_type: string, length: number) =>
    estimateTokens({
      messages: [{ role: 'user', parts: [{ type: 'file', media_type, data: new Uint8Array(length) }] }],
      tools: [],
    })
  t.ok(of('image/png', 10) >= 1700)
  t.equal(of('image/png', 10), of('image/png', 1_000_000))
  t.ok(of('application/pdf', 30_000) >= 10_000)
  t.ok(of('audio/mpeg', 200_000) >= 1000)
})
