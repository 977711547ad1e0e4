import { AssistantTestSet, objectId } from '../../../storage/mod.ts'
import { type NewTestSet, toTestSetRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { catalogueReads } from '../assistants/part.ts'
import { contactReads } from '../contacts/reads.ts'
import type { Audited } from '../turn/audit.ts'
import type { Command } from '../turn/feature.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { testSetReads } from './reads.ts'

/** Test sets of a project. */
const MAX_SETS = 200

/** The audit entry of a change of a set. */
export const auditedTestSet: Audited<{ type: string }> = {
  target: 'assistant_test_set',
  record(turn, id) {
    const row = turn.records.of(testSetReads).by_id.get(id)
    return row && toTestSetRecord(row)
  },
  answered: (answer) => (answer as { test_set?: object }).test_set ?? null,
}

type CreateTestSet = { type: 'create_test_set'; assistant_id: string; fields: NewTestSet }

type ReplaceTestSet = { type: 'replace_test_set'; id: string; assistant_id: string; fields: NewTestSet }

type DeleteTestSet = { type: 'delete_test_set'; id: string; assistant_id: string }

/** @throws {Refusal} NOT_FOUND, TEST_SET_ALREADY_EXISTS, TEST_SET_LIMIT_REACHED, NO_CONTACT */
const createTestSet = {
  audit: auditedTestSet,
  reads(reads, { assistant_id, fields }) {
    wantFields(reads, assistant_id, fields)
    reads.of(testSetReads).is_counted = true
  },
  run(turn, { assistant_id, fields }) {
    const sets = turn.records.of(testSetReads)
    if (!turn.records.of(catalogueReads).assistants.has(assistant_id)) throw refuse('NOT_FOUND')
    mustFit(turn, assistant_id, fields)
    if (sets.count >= MAX_SETS) throw refuse('TEST_SET_LIMIT_REACHED', { limit: MAX_SETS })
    const { company_id, project_id } = turn.state
    const owner = { _id: objectId(), company_id, project_id, assistant_id }
    const row: AssistantTestSet = { ...owner, ...columnsOf(fields), created_at: turn.now, updated_at: turn.now }
    turn.insert(AssistantTestSet, row)
    sets.by_id.set(row._id, row)
    sets.count += 1
    return { body: { test_set: toTestSetRecord(row) } }
  },
} satisfies Command<CreateTestSet>

/** @throws {Refusal} NOT_FOUND, TEST_SET_ALREADY_EXISTS, NO_CONTACT */
const replaceTestSet = {
  audit: auditedTestSet,
  reads(reads, { id, assistant_id, fields }) {
    wantFields(reads, assistant_id, fields)
    reads.of(testSetReads).ids.add(id)
  },
  run(turn, { id, assistant_id, fields }) {
    const row = testSetOf(turn, assistant_id, id)
    mustFit(turn, assistant_id, fields, row)
    const written = { ...columnsOf(fields), updated_at: turn.now }
    Object.assign(row, written)
    turn.update(AssistantTestSet, { _id: id }, written)
    return { body: { test_set: toTestSetRecord(row) } }
  },
} satisfies Command<ReplaceTestSet>

/** Its runs end, and go with the next sweep of retention. @throws {Refusal} NOT_FOUND */
const deleteTestSet = {
  audit: auditedTestSet,
  reads(reads, { id }) {
    reads.of(testSetReads).ids.add(id)
  },
  run(turn, { id, assistant_id }) {
    testSetOf(turn, assistant_id, id)
    turn.remove(AssistantTestSet, { _id: id })
    turn.records.of(testSetReads).by_id.delete(id)
    turn.tell(`test_runs/${turn.key}`, { type: 'cancel_all', test_set_id: id })
    return {}
  },
} satisfies Command<DeleteTestSet>

export const savedTestSets = {
  create_test_set: createTestSet,
  replace_test_set: replaceTestSet,
  delete_test_set: deleteTestSet,
}

/** The set of this assistant. @throws {Refusal} NOT_FOUND */
export function testSetOf(turn: ProjectTurn, assistant_id: string, id: string): AssistantTestSet {
  const row = turn.records.of(testSetReads).by_id.get(id)
  if (row?.assistant_id !== assistant_id) throw refuse('NOT_FOUND')
  return row
}

const contactsOf = ({ cases }: NewTestSet) => [...new Set(cases.flatMap(({ chat_user }) => chat_user ?? []))]

function columnsOf(fields: NewTestSet) {
  return { ...fields, case_count: fields.cases.length, chat_users: contactsOf(fields) }
}

function wantFields(reads: Reads, assistant_id: string, fields: NewTestSet): void {
  reads.of(catalogueReads).assistants.add(assistant_id)
  const { names } = reads.of(testSetReads)
  names.set(assistant_id, (names.get(assistant_id) ?? new Set()).add(fields.name))
  for (const id of contactsOf(fields)) reads.of(contactReads).ids.add(id)
}

/** An erased contact comes back into no set, because the project forgets it before its cases are deleted. */
function mustFit(turn: ProjectTurn, assistant_id: string, fields: NewTestSet, own?: AssistantTestSet): void {
  const isTaken = (other: AssistantTestSet) =>
    other.assistant_id === assistant_id && other.name === fields.name && other._id !== own?._id
  const taken = [...turn.records.of(testSetReads).by_id.values()].find(isTaken)
  if (taken) throw refuse('TEST_SET_ALREADY_EXISTS', { test_set_id: taken._id })
  const { by_id } = turn.records.of(contactReads)
  const chat_user = contactsOf(fields).find((id) => !by_id.has(id))
  if (chat_user !== undefined) throw refuse('NO_CONTACT', { chat_user })
}
