export {
  findMerge,
  forgetIdentities,
  listMerges,
  listToMerge,
  listToSeparate,
  type MovedUpTo,
  type MovingRecord,
  readMergesOf,
  wereSeparated,
} from './contact_merges.ts'
export {
  type ContactFilter,
  findContact,
  listContacts,
} from './contacts.ts'
export {
  type CrmEventFilter,
  findCrmEvent,
  listCrmEvents,
} from './crm_events.ts'
export { type CustomerFilter, type CustomerRecord, findCustomer, listCustomers } from './customers.ts'
export { customersAt } from './customers_at.ts'
export {
  type EntryFilter,
  findLoyaltyProgram,
  findMembership,
  type LoyaltyProgramFilter,
  listEntries,
  listLoyaltyPrograms,
  listMemberships,
  type MembershipFilter,
  readNextExpiries,
} from './loyalty.ts'
export {
  type AuthoredNote,
  findNote,
  listNotes,
  listNotesAbout,
  type NoteFilter,
} from './notes.ts'
export { type SearchCandidate, searchContacts, searchMessages, searchTickets } from './search.ts'
