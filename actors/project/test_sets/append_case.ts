import { AssistantTestSet, type TestCase } from '../../../storage/mod.ts'
import { testSetBounds, toTestSetRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactReads } from '../contacts/reads.ts'
import type { Change } from '../turn/feature.ts'
import { testSetReads } from './reads.ts'
import { auditedTestSet, testSetOf } from './save_test_set.ts'

/** `chat_user`: the person of the conversation from which the case comes. */
export type AppendTestCase = {
  type: 'append_test_case'
  id: string
  assistant_id: string
  chat_user: string
  test_case: TestCase
}

/** A name that is taken gets a number. @throws {Refusal} NOT_FOUND, TICKET_NOT_FOUND, TEST_CASE_LIMIT_REACHED */
export const appendTestCase: Change<AppendTestCase> = {
  audit: auditedTestSet,
  reads(reads, { id, chat_user }) {
    reads.of(testSetReads).ids.add(id)
    reads.of(contactReads).ids.add(chat_user)
  },
  apply(turn, { id, assistant_id, chat_user, test_case }) {
    const row = testSetOf(turn, assistant_id, id)
    // An erased person comes back into no set.
    if (!turn.records.of(contactReads).by_id.has(chat_user)) throw refuse('TICKET_NOT_FOUND')
    const cases = [...row.cases, { ...test_case, name: freeName(test_case.name, row.cases) }]
    if (cases.length > testSetBounds.cases || Buffer.byteLength(JSON.stringify(cases)) > testSetBounds.json) {
      throw refuse('TEST_CASE_LIMIT_REACHED', { limit: testSetBounds.cases })
    }
    const written = { cases, case_count: cases.length, updated_at: turn.now }
    Object.assign(row, written)
    turn.update(AssistantTestSet, { _id: id }, written)
    return { test_set: toTestSetRecord(row) }
  },
}

function freeName(name: string, cases: readonly TestCase[]): string {
  const taken = new Set(cases.map((one) => one.name))
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : ` (${number})`
    const free = [...name].slice(0, testSetBounds.name - ending.length).join('') + ending
    if (!taken.has(free)) return free
  }
}
