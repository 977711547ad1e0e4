/** Rows of CSV files as spreadsheets write them: padded with empty cells, or ended before the last ones that are empty. */
import t from 'tap'
import { readSheet } from '../../http/cli/broadcast/sheet.ts'
import { readCustomers } from '../../http/cli/crm/customer_sheet.ts'
import { parsePair } from '../../http/cli/crm/spelling.ts'
import { parseExactJson } from '../../http/cli/options/exact_json.ts'
import { parseCsv } from '../../http/console/page/broadcasts/compose/csv.ts'
import { readSheet as readPageSheet } from '../../http/console/page/broadcasts/compose/sheet.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** A file with people, the number of them, and the lines that are refused. */
const files: [rule: string, text: string, people: number, faults: number[]][] = [
  ['padded rows', 'name,phone,city\nAna,+15550100001,Rome,,\nBo,+15550100002,Oslo,\n', 2, []],
  ['padded with blanks', 'name;phone;city\nAna;+15550100001;Rome; ;\t\n', 1, []],
  ['padded with empty cells in quotes', 'name,phone,city\nAna,+15550100001,Rome,"",""\n', 1, []],
  ['padded with a blank that does not break', 'name,phone,city\nAna,+15550100001,Rome,\u00a0\n', 1, []],
  ['a padded header', 'name,phone,city,,\nAna,+15550100001,Rome\nBo,+15550100002,Oslo,,\n', 2, []],
  ['rows that end early', 'name,phone,city\nAna,+15550100001\nBo,+15550100002,Oslo\n', 2, []],
  ['tabs, ended early', 'name\tphone\tcity\tnote\nAna\t+15550100001\n', 1, []],
  ['a filled cell too many', 'name,phone,city\nAna,+15550100001,Rome, Italy\nBo,+15550100002,Oslo,,x\n', 0, [2, 3]],
  ['a row that ends before the phone', 'name,city,phone\nAna,Rome\nBo,Oslo,+15550100002\n', 1, [2]],
]

t.test('the command line reads them as people', async (t) => {
  for (const [rule, text, people, faults] of files) {
    const { recipients, faults: found } = readSheet(bytes(text))
    t.equal(recipients.length, people, `broadcast: ${rule}`)
    t.same([...new Set(found.map(({ line }) => line))], faults, `broadcast: ${rule}`)
    const customers = readCustomers(bytes(text), [])
    // A customer needs no phone.
    const missing = rule.includes('before the phone') ? 1 : 0
    t.equal(customers.lines.length, people + missing, `customers: ${rule}`)
    t.equal(customers.faults.length, faults.length - missing, `customers: ${rule}`)
  }
})

t.test('the console reads them as people', async (t) => {
  for (const [rule, text, people, faults] of files) {
    const rows = await parseCsv(text)
    const phone_at = rows[0]!.cells.indexOf('phone')
    const sheet = readPageSheet({ rows, has_head: true, phone_at, variables: [], sources: {} })
    t.equal(sheet.people.length, people, rule)
    t.same(
      sheet.faults.map(({ line }) => line),
      faults,
      rule,
    )
  }
})

t.test('a number that would be rounded is no number of a customer', async (t) => {
  const defined = [{ key: 'card', type: 'number' as const, options: null }]
  const { lines, faults } = readCustomers(bytes('name,card\nAna,6011514433546201987\nBo,12\nEva,0.25\n'), defined)
  t.same(
    lines.map(({ customer }) => customer.custom_fields),
    [{ card: 12 }, { card: 0.25 }],
  )
  t.match(faults, [{ line: 2, column: 'card', message: /would be rounded/ }])
  t.same(parsePair('card=6011514433546201987'), { card: '6011514433546201987' })
  t.same(parsePair('card=12'), { card: 12 })
  t.throws(() => parseExactJson('{"a":[6011514433546201987]}'), { message: /6011514433546201987 would be rounded/ })
  t.throws(() => parseExactJson('1e999'), { message: /1e999 would be rounded/ })
  t.same(parseExactJson('\ufeff{"a":[1e3,-0.5,"6011514433546201987"]}'), { a: [1000, -0.5, '6011514433546201987'] })
})
