/** Errors as people read them. No DOM. */
import type { Fault } from '../records/fault.ts'

const SENTENCES: Partial<Record<string, string>> = {
  BROADCAST_NOT_FOUND: 'It may be in another project, or the address is wrong.',
  CONTACT_ALREADY_EXISTS: 'The company has this contact already.',
  EXTERNAL_ID_TAKEN: 'Another record has this external id.',
  TICKET_ALREADY_OPEN: 'The contact has another open ticket. Close that one first.',
  BROADCAST_FINISHED: 'It has finished already: nothing was left to cancel.',
}

/** Turns a thrown value into a fault that views can show. */
export function faultOf(error: unknown): Fault {
  return error instanceof Error ? error : new Error(String(error))
}

/** The fault as a sentence. */
export function errorText({ code, message }: Fault) {
  return SENTENCES[code ?? ''] ?? message
}
