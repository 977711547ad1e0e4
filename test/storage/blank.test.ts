/** New rows of tables with many columns. */
import t from 'tap'
import { blank, Tag, WebhookKey } from '../../storage/mod.ts'

t.test('a blank row has what is given, and null in the columns that may be null', async (t) => {
  const now = new Date()
  const stamps = { created_at: now, updated_at: now }
  const tag = { _id: '1', project_id: '2', company_id: '3', name: 'VIP', ...stamps }
  t.strictSame({ ...blank(Tag, tag) }, { ...tag, color: null })
  t.equal(blank(Tag, { ...tag, color: '#fff' }).color, '#fff')
  const key = { id: '1', project_id: '2', number: 1, public_key: 'p', sealed: 's', created_at: now }
  t.equal(blank(WebhookKey, key).valid_until, null)
})

t.test('the compiler asks for a column that has no default', async (t) => {
  // @ts-expect-error the name is missing
  t.equal(blank(Tag, { _id: '1' }).name, undefined)
})
