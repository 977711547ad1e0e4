import {
  Customer,
  LoyaltyEntry,
  LoyaltyMembership,
  LoyaltyProgram,
  readNextExpiries,
  readRows,
} from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Memberships that are read to expire, and thus expired in one turn at most. */
const MAX_NEXT = 100

type Keys = {
  /** Memberships. */
  ids: Set<string>
  /** Entries by `entryKey`. */
  keys: Map<string, { membership_id: string; key: string }>
  serial_numbers: Set<string>
  enrolments: { program_id: string; customer_id: string }[]
  /** The memberships that expire next. */
  next: boolean
}

export type LoyaltyRecords = {
  /** All of the project. */
  programs: Map<string, LoyaltyProgram>
  memberships: Map<string, LoyaltyMembership>
  entries: Map<string, LoyaltyEntry>
  customers: Set<string>
  /** The memberships that expired or expire next, as of the beginning of the turn. */
  next: LoyaltyMembership[]
  /** There may be further memberships that are due. */
  has_more: boolean
  /** The turn has changed rules, and thus the memberships that expire next. */
  is_outdated: boolean
}

/** Programs, memberships and entries that the messages of a turn change or depend on. */
export const loyaltyReads: ReadKind<Keys, LoyaltyRecords> = {
  keys: () => ({ ids: new Set(), keys: new Map(), serial_numbers: new Set(), enrolments: [], next: false }),
  found: () => ({
    programs: new Map(),
    memberships: new Map(),
    entries: new Map(),
    customers: new Set(),
    next: [],
    has_more: false,
    is_outdated: false,
  }),
  async read(found, { ids, keys, serial_numbers, enrolments, next }, { database, state }) {
    const { project_id, company_id } = state
    const where = [
      ...(ids.size > 0 ? [{ project_id, _id: [...ids] }] : []),
      ...(serial_numbers.size > 0 ? [{ project_id, serial_number: [...serial_numbers] }] : []),
      ...enrolments.map((enrolment) => ({ project_id, ...enrolment })),
    ]
    const customer_ids = [...new Set(enrolments.map(({ customer_id }) => customer_id))]
    const [programs, memberships, upcoming, entries, customers] = await Promise.all([
      readRows(database, LoyaltyProgram, { project_id }),
      where.length > 0 ? readRows(database, LoyaltyMembership, ...where) : [],
      next ? readNextExpiries(database, project_id, MAX_NEXT) : [],
      keys.size > 0 ? readRows(database, LoyaltyEntry, ...keys.values()) : [],
      customer_ids.length > 0 ? readRows(database, Customer, { company_id, _id: customer_ids }) : [],
    ])
    for (const program of programs) found.programs.set(program._id, program)
    for (const membership of [...memberships, ...upcoming]) {
      if (!found.memberships.has(membership._id)) found.memberships.set(membership._id, membership)
    }
    for (const entry of entries) found.entries.set(entryKey(entry.membership_id, entry.key!), entry)
    for (const { _id } of customers) found.customers.add(_id)
    found.next = upcoming.map(({ _id }) => found.memberships.get(_id)!)
    found.has_more = upcoming.length === MAX_NEXT
  },
}

export function entryKey(membership_id: string, key: string): string {
  return `${membership_id} ${key}`
}

/** Call this for each message that changes or reads programs alone. */
export function wantPrograms(reads: Reads): void {
  reads.of(loyaltyReads)
}

type Member = { membership: LoyaltyMembership; program: LoyaltyProgram }

/** A membership of the project, in a turn whose reads include it. @throws {Refusal} NOT_FOUND */
export function findMember({ records }: ProjectTurn, id: string): Member {
  const { memberships, programs } = records.of(loyaltyReads)
  const membership = memberships.get(id)
  if (!membership) throw refuse('NOT_FOUND')
  return { membership, program: programOf(programs, membership) }
}

/** A membership holds its program by a foreign key. */
export function programOf(
  programs: LoyaltyRecords['programs'],
  { program_id }: Pick<LoyaltyMembership, 'program_id'>,
): LoyaltyProgram {
  const program = programs.get(program_id)
  if (!program) throw new Error(`the turn has not read the program ${program_id}`)
  return program
}
