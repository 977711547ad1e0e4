/** Audit entries of changes that the project makes in its turns. An entry is committed with its change. */
import { type AuditChange, AuditEntry, auditEntry, type Database, type Origin } from '../../../storage/mod.ts'
import type { ProjectTurn } from './turn.ts'

/** What the audit entry of a command or change shows. A part without one leaves no entry. */
export type Audited<Part> = {
  /** The name of the table of the changed record. */
  target: string
  /** Default: the `id` of the part, else `id` or `_id` of the answer. */
  id?(part: Part, origin: Origin): string
  /**
   * The record as the turn has it: asked before and after the change, undefined where there is none. Without this, the
   * entry shows the answer.
   */
  record?(turn: ProjectTurn, id: string, database: Database): object | undefined
}

/**
 * Inserts an audit entry into the turn that makes the change. `systemOrigin` names a change that the project makes
 * itself.
 */
export function recordAudit(
  turn: ProjectTurn,
  origin: Origin,
  change: Omit<AuditChange, 'company_id' | 'project_id'>,
): void {
  const { company_id, project_id, tokens } = turn.state
  const name = origin.actor_kind === 'token' ? tokens.get(origin.actor_id ?? '')?.name : undefined
  const named = { ...origin, actor_name: origin.actor_name ?? name ?? null }
  const entry = auditEntry(named, { ...change, company_id, project_id })
  if (entry) turn.insert(AuditEntry, entry)
}

type Answer = Record<string, unknown> | undefined

/**
 * Runs a part and inserts its audit entry. A part that refuses, or changes nothing, leaves none; neither does a request
 * that a node of a version without audit took.
 *
 * @param answerOf the changed record in the result; undefined for a refusal
 */
export function withAudit<Part extends { type: string }, Result>(
  { turn, origin, database }: { turn: ProjectTurn; origin: Origin | undefined; database: Database },
  audit: Audited<Part> | undefined,
  part: Part,
  run: () => Result,
  answerOf: (result: Result) => object | null | undefined,
): Result {
  if (!audit || !origin) return run()
  const { record } = audit
  // The parts change the records in place.
  const copied = (id: unknown) => {
    const found = typeof id === 'string' ? record?.(turn, id, database) : undefined
    return found && JSON.parse(JSON.stringify(found))
  }
  const given = audit.id ? audit.id(part, origin) : (part as { id?: unknown }).id
  const before = copied(given)
  const result = run()
  const answer = answerOf(result) as Answer | null
  if (answer === null) return result
  const target_id = given ?? answer?.id ?? answer?._id
  const after = record ? copied(target_id) : answer
  if (before || after) {
    recordAudit(turn, origin, { target_kind: audit.target, target_id: target_id as string, before, after })
  }
  return result
}
