/** The moment from which an erasure looks through the day tables. */
import t from 'tap'
import { earliest } from '../../storage/data_rights/erasure/webhook_rows.ts'
import type { Subject } from '../../storage/data_rights/subject.ts'
import { objectIdAt } from '../../storage/values/ids.ts'

const at = (time: string) => objectIdAt(new Date(time))
const subject = (fields: Partial<Subject>): Subject => ({
  kind: 'customer',
  subject_id: at('2026-03-01T00:00:00Z'),
  company_id: at('2026-01-01T00:00:00Z'),
  project_id: null,
  projects: [],
  contacts: [],
  customers: [],
  tickets: [],
  records: [],
  identities: [],
  known: [],
  ...fields,
})

t.test('an erasure begins a day before the oldest record of the person', async (t) => {
  t.equal(earliest(subject({})), at('2026-02-28T00:00:00Z'))
  const contacts = [at('2026-02-10T00:00:00Z'), at('2026-02-02T00:00:00Z')]
  t.equal(earliest(subject({ contacts })), at('2026-02-01T00:00:00Z'))
})

t.test('the oldest record is found among very many contacts', async (t) => {
  const contacts = Array.from({ length: 300_000 }, () => at('2026-04-01T00:00:00Z'))
  contacts[200_000] = at('2026-02-02T00:00:00Z')
  t.equal(earliest(subject({ contacts })), at('2026-02-01T00:00:00Z'))
})
