/**
 * The phases of an erasure, in their order. Between them the actors that hold the subject in memory are asked to forget
 * it (`asks`), so that nothing is written anew.
 *
 *  P1 `forget` removes the contact in a turn of its project, with its tickets and its queued messages. From then on a
 *     message of the person creates a new contact, and no turn writes about the old one.
 *  P2 Turns that read the messages before they were deleted end before `settle` is answered. What they wrote is erased
 *     by the second pass over the rows, and by the phases after it.
 *  P3 Recipients of bulk sends that were not taken up get no message: they are blanked before `forget`, and slices
 *     under way reach the project before it (`broadcasts`, `bulk_slices`).
 *  P4 Deliveries are removed from the tables, then from the memory of their subscriptions (`receivers`), then the
 *     attempts that were made meanwhile.
 */
import { eraseDeadLetters } from './dead_letters.ts'
import { eraseExports, eraseFiles, keepSharedFiles } from './files.ts'
import {
  awaitAddresses,
  awaitOutbox,
  eraseAddresses,
  eraseAnswers,
  eraseAuditEntries,
  eraseRecipients,
  eraseSmall,
} from './leftovers.ts'
import { eraseRows, eraseTimeline } from './rows.ts'
import { eraseCustomer, eraseProject, finishErasure, notePerson, noteProject } from './subject_rows.ts'
import type { BatchContext, Progress } from './transaction.ts'
import { eraseAttempts, eraseDeliveries, eraseEvents } from './webhook_rows.ts'

/** Actors that a phase asks: those of the projects concerned, or those of the erased project. */
export type Asked = 'broadcasts' | 'projects' | 'subscriptions'

export type Phase = { name: string } & (
  | { batch(context: BatchContext): Promise<Progress>; asks?: undefined }
  | { asks: Asked; batch?: undefined }
)

const person: readonly Phase[] = [
  { name: 'note', batch: notePerson },
  { name: 'recipients', batch: eraseRecipients },
  { name: 'broadcasts', asks: 'broadcasts' },
  { name: 'bulk_slices', batch: awaitOutbox },
  { name: 'forget', asks: 'projects' },
  { name: 'recipients_again', batch: eraseRecipients },
  { name: 'rows', batch: eraseRows },
  { name: 'settle', asks: 'projects' },
  { name: 'rows_again', batch: eraseRows },
  { name: 'customer', batch: eraseCustomer },
  { name: 'shared_files', batch: keepSharedFiles },
  { name: 'files', batch: eraseFiles },
  { name: 'timeline', batch: eraseTimeline },
  { name: 'events', batch: eraseEvents },
  { name: 'deliveries', batch: eraseDeliveries },
  { name: 'receivers', asks: 'subscriptions' },
  { name: 'attempts', batch: eraseAttempts },
  { name: 'answers', batch: eraseAnswers },
  { name: 'leftovers', batch: eraseSmall },
  { name: 'outbox', batch: awaitOutbox },
  { name: 'dead_letters', batch: eraseDeadLetters },
  { name: 'audit', batch: eraseAuditEntries },
  { name: 'exports', batch: eraseExports },
  { name: 'finish', batch: finishErasure },
]

const project: readonly Phase[] = [
  { name: 'note', batch: noteProject },
  { name: 'forget', asks: 'projects' },
  { name: 'files', batch: eraseFiles },
  { name: 'rows', batch: eraseRows },
  { name: 'settle', asks: 'projects' },
  { name: 'files_again', batch: eraseFiles },
  { name: 'rows_again', batch: eraseRows },
  { name: 'events', batch: eraseEvents },
  { name: 'deliveries', batch: eraseDeliveries },
  { name: 'attempts', batch: eraseAttempts },
  { name: 'answers', batch: eraseAnswers },
  { name: 'addresses', batch: eraseAddresses },
  { name: 'outbox', batch: awaitAddresses },
  { name: 'addresses_again', batch: eraseAddresses },
  { name: 'audit', batch: eraseAuditEntries },
  { name: 'exports', batch: eraseExports },
  { name: 'project', batch: eraseProject },
  { name: 'finish', batch: finishErasure },
]

export const erasurePhases = { contact: person, customer: person, project } as const
