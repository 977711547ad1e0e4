import t from 'tap'
import { Neutral } from '../../../actors/test_runs/neutral.ts'

const nobody = { names: [], phones: [], emails: [], ids: [] }

t.test('names become neutral ones as words, in any case, with or without accents', (t) => {
  const neutral = new Neutral({ ...nobody, names: ['Ana María Núñez'] })
  const rows: [string, string][] = [
    ['I am Ana María Núñez.', 'I am Alex Morgan.'],
    ['ANA MARIA NUNEZ here', 'Alex Morgan here'],
    ['ana, nuñez; Maria', 'Alex, Morgan; Morgan'],
    ["Ana's order", "Alex's order"],
    ['user_ana/2', 'user_Alex/2'],
    ['A banana and a bananarama for Diana', 'A banana and a bananarama for Diana'],
    ['Nun\u0303ez', 'Morgan'],
    ['', ''],
  ]
  for (const [said, expected] of rows) t.equal(neutral.text(said), expected, said)
  t.end()
})

t.test('words of many sentences are no names, and names without spaces between words are found', (t) => {
  t.equal(new Neutral({ ...nobody, names: ['Eva de la Cruz'] }).text('la casa de Eva'), 'la casa de Alex')
  t.equal(new Neutral({ ...nobody, names: ['王小明'] }).text('我是王小明先生'), '我是Alex先生')
  t.equal(new Neutral({ ...nobody, names: ['J Doe', ' ', 'X'] }).text('j and x, Doe'), 'j and x, Morgan')
  t.end()
})

t.test('numbers and addresses are found however they are written', (t) => {
  const neutral = new Neutral({ ...nobody, phones: ['+491761234567'], emails: ['Ana@Shop.example'], ids: ['crm-77'] })
  const rows: [string, string][] = [
    ['+491761234567', '+15550100000'],
    ['Call +49 176 123 45 67, please', 'Call +15550100000, please'],
    ['0176/1234567 or 491761234567', '15550100000'],
    ['Order 20261130 of 2026-11-30', 'Order 20261130 of 2026-11-30'],
    ['ana@shop.example, CRM-77 and crm-771', 'person@example.com, person-1 and crm-771'],
  ]
  for (const [said, expected] of rows) t.match(neutral.text(said), expected, said)
  t.notMatch(neutral.text('0176/1234567 or 491761234567'), /1234567/)
  t.end()
})

t.test('values of JSON are replaced with the names of their fields', (t) => {
  const neutral = new Neutral({ ...nobody, names: ['Ana'], phones: ['15550180001'] })
  t.same(neutral.json({ ana: [{ phone: 15550180001, id: 7, name: 'ANA' }, null, true] }), {
    Alex: [{ phone: 15550100000, id: 7, name: 'Alex' }, null, true],
  })
  t.end()
})

t.test('neutral words are not replaced again, and a text is cut without a part of a name', (t) => {
  const neutral = new Neutral({
    ...nobody,
    names: ['Morgan Alex'],
    emails: ['x5550180001@shop.example'],
    phones: ['5550180001'],
  })
  t.equal(neutral.text('Morgan, Alex, X5550180001@shop.example'), 'Alex, Morgan, person@example.com')
  t.equal(neutral.text('I, Morgan', 5), 'I, Al')
  t.equal(neutral.text('I, Morgan', 3), 'I, ')
  t.equal(neutral.text('Call 5550180001 now', 7), 'Call 15')
  t.end()
})

t.test('a long text costs no more for a person with very many names', (t) => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const names = letters.map((first) => letters.map((second) => `${first}${second}${first}`).join(' '))
  const neutral = new Neutral({ ...nobody, names })
  // A minute and more, if it was searched once for each of them.
  t.equal(neutral.text('lorem ipsum '.repeat(250_000)).length, 3_000_000)
  t.equal(neutral.text('aba zcz abac'), 'Morgan Morgan abac')
  t.end()
})

t.test('a hostile text takes linear time', (t) => {
  const neutral = new Neutral({ ...nobody, names: ['aaaa aaaa', 'aaaa'], phones: ['1111111111'] })
  for (const text of ['a'.repeat(500_000), '1 '.repeat(250_000), '+1('.repeat(150_000), 'aaaa '.repeat(100_000)]) {
    t.type(neutral.text(text), 'string')
  }
  t.end()
})
