/** Customers of one company, a few or a million, and timed searches over them. */
import { type CustomerFilter, type Database, listCustomers } from '../../../storage/mod.ts'

const first = ['Ana', 'Luis', 'María', 'José', 'Sofía', 'Carlos', 'Lucía', 'Diego', 'Valentina', 'Miguel']
const second = [
  'González',
  'Rodríguez',
  'Hernández',
  'López',
  'Martínez',
  'Pérez',
  'Torres',
  'Flores',
  'Vega',
  'Zúñiga',
]
const places = ['gmail.com', 'hotmail.com', 'example.com', 'outlook.com', 'empresa.mx']

const pick = (list: string[], shift: number) =>
  `(array[${list.map((name) => `'${name}'`)}])[1 + ((hashint4(n) >> ${shift}) & 1023) % ${list.length}]`

/** Adds customers in one statement. One in a thousand is called Xochitlalpan, and one in all of them Quetzalcoatl. */
export async function seedCustomers(database: Database, company_id: string, count: number): Promise<void> {
  await database.execute(`
    insert into customer (_id, company_id, full_name, email, phone)
    select substr(md5('${company_id}'), 1, 8) || lpad(to_hex(n), 16, '0'), '${company_id}',
      case when n = 500 then 'Quetzalcoatl' when n % 1000 = 0 then 'Xochitlalpan' else ${pick(first, 0)} end
        || ' ' || ${pick(second, 10)} || ' ' || ${pick(second, 20)},
      substr(md5(n::text), 1, 8) || '@' || (array[${places.map((place) => `'${place}'`)}])[1 + n % ${places.length}],
      '+5215' || lpad(n::text, 9, '0')
    from generate_series(1, ${count}) n`)
}

type Search = { name: string; filter: CustomerFilter; offset: (count: number) => number }

const at = (name: string, search: string | undefined, share = 0): Search => ({
  name,
  filter: { search },
  offset: (count) => Math.floor(count * share),
})

export const searches: Search[] = [
  at('all, first page', undefined),
  at('all, from the middle', undefined, 0.5),
  at('all, last page', undefined, 0.9999),
  at('1 character, nearly all', 'a'),
  at('1 character, from the middle', 'a', 0.4),
  at('1 character, few', 'q'),
  at('2 characters, many', 'ez'),
  at('2 characters, few', 'xo'),
  at('3 characters, many', 'gon'),
  at('3 characters, few', 'xoc'),
  at('8 characters, many', 'gonzález'),
  at('8 characters, few', 'xochitla'),
  at('8 characters, one', 'quetzalc'),
  at('8 characters, none', 'nobodyis'),
  { name: 'phone', filter: { phone: '+5215000000777' }, offset: () => 0 },
]

/** Returns the milliseconds for one page of 50. */
export async function timeSearch(
  database: Database,
  company_id: string,
  { filter, offset }: Search,
  count: number,
): Promise<{ ms: number; total: number }> {
  const from = performance.now()
  const { total } = await listCustomers(database, { company_id }, filter, { limit: 50, offset: offset(count) })
  return { ms: performance.now() - from, total }
}
