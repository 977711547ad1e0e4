/** Answers and requests are compared with the description of the API (`test/support/drift.ts`). */
import t from 'tap'
import { refuseDrift, type Seen } from '../support/drift.ts'

// No node gave these answers, so they do not count as seen.
const { PARLEY_TEST_ANSWERS: answers } = process.env
delete process.env.PARLEY_TEST_ANSWERS
t.teardown(() => answers !== undefined && Object.assign(process.env, { PARLEY_TEST_ANSWERS: answers }))

const id = '0123456789abcdef01234567'
const now = '2026-11-29T12:00:00.000Z'
const company = { _id: id, name: 'Company', created_at: now, updated_at: now }
const seen: Seen = {
  method: 'POST',
  url: 'http://x/admin/v1/companies',
  json: { name: 'Company' },
  status: 201,
  headers: { 'content-type': 'application/json', 'x-request-id': id },
  body: company,
}

t.test('a described answer is as described', async (t) => {
  t.doesNotThrow(() => refuseDrift(seen))
})

const drifts: [what: string, changes: Partial<Seen>, said: RegExp][] = [
  ['a property that no schema names', { body: { ...company, colour: 'red' } }, /additional properties.*colour/],
  ['a missing property', { body: { _id: id } }, /must have required property 'name'/],
  ['a value of another type', { body: { ...company, name: 1 } }, /\/name must be string/],
  ['an instant in another form', { body: { ...company, created_at: 'today' } }, /\/created_at must match format/],
  ['a status', { status: 299 }, /the status 299 is not described/],
  ['a header', { headers: { ...seen.headers, etag: '1' } }, /the headers etag are not described/],
  ['an accepted request', { json: { name: 'x'.repeat(151) } }, /the accepted request: \/name must NOT have more than/],
]
for (const [what, changes, said] of drifts)
  t.test(`not as described: ${what}`, async (t) => {
    t.throws(() => refuseDrift({ ...seen, ...changes }), { message: said })
  })
