import type { ActiveTicket } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'

/** @throws {Refusal} PRECONDITION_FAILED */
export function mustHaveVersion({ version }: ActiveTicket, if_match: string[] | undefined): void {
  if (if_match?.includes(String(version)) === false) throw refuse('PRECONDITION_FAILED', { version })
}
