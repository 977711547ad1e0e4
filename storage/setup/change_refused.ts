/** Reasons for refusing an operator's change. A refused change writes nothing. */
export type ChangeRefusal =
  | 'NOT_FOUND'
  | 'EXTERNAL_ID_TAKEN'
  | 'COMPANY_NOT_FOUND'
  | 'PROJECT_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'STAGE_NOT_FOUND'
  | 'LAST_STAGE'
  | 'PIPELINE_IS_DEFAULT'
  | 'SYSTEM_EVENT_TYPE'
  | 'TOKEN_REVOKED'
  | 'INSUFFICIENT_ROLE'
  | 'INVITATION_THROTTLED'

/** The stored records do not allow the change. A repeat has the same result as long as they stay as they are. */
export class ChangeRefused extends Error {
  override name = 'ChangeRefused'
  readonly code: ChangeRefusal
  readonly details: Record<string, unknown> | undefined

  constructor(code: ChangeRefusal, details?: Record<string, unknown>) {
    super(`the change is refused: ${code}`)
    this.code = code
    this.details = details
  }
}

/** Other records still refer to the record to delete. `held_by` counts them by kind. */
export class StillHeld extends Error {
  override name = 'StillHeld'
  readonly noun: string
  readonly held_by: Record<string, number>

  constructor(noun: string, held_by: Record<string, number>) {
    super(`this ${noun} is still held`)
    this.noun = noun
    this.held_by = held_by
  }
}

/** @throws {StillHeld} when not all counts are 0 */
export function mustBeUnheld(noun: string, counts: Record<string, number>): void {
  const held = Object.entries(counts).filter(([, count]) => count > 0)
  if (held.length > 0) throw new StillHeld(noun, Object.fromEntries(held))
}
