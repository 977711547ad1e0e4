/** Audit entries of changes that the project makes in its turns. An entry is committed with its change. */
import { type AuditChange, AuditEntry, auditEntry, type Database, type Origin } from '../../../storage/mod.ts'
import type { ProjectTurn } from './turn.ts'

/** The audit entry of a command or change. A part without one leaves no entry. */
export type Audited<Part> = {
  /** The name of the table of the changed record. */
  target: string
  /** The id with which to ask for the record. Default: the `id` of the part, else that of the answer. */
  id?(part: Part, origin: Origin): string
  /**
   * The record as the turn has it: asked before and after the change, undefined where there is none. A record that the
   * turn has neither before nor after is new: the entry shows the answer.
   */
  record?(turn: ProjectTurn, id: string, database: Database): object | undefined
  /** The project of the record, where a change may reach those of other projects: each of the two has an entry. */
  projectOf?(turn: ProjectTurn, id: string): string | undefined
  /** The new record in the answer, null for an answer without one. Default: the answer itself. */
  answered?(answer: object): object | null
}

/**
 * Inserts an audit entry into the turn that makes the change. `systemOrigin` names a change that the project makes
 * itself.
 */
export function recordAudit(
  turn: ProjectTurn,
  origin: Origin,
  change: Omit<AuditChange, 'company_id' | 'project_id'>,
  project_id = turn.state.project_id,
): void {
  const entry = auditEntry(origin, { ...change, company_id: turn.state.company_id, project_id })
  if (entry) turn.insert(AuditEntry, entry)
}

/** Tokens are named by the turn, because the node that took the request knows only their ids. */
export function named({ state }: ProjectTurn, origin: Origin): Origin {
  if (origin.actor_kind !== 'token') return origin
  return { ...origin, actor_name: state.tokens.get(origin.actor_id ?? '')?.name ?? null }
}

function idOf(record: object | null | undefined): string | undefined {
  const { id, _id } = (record ?? {}) as Record<string, unknown>
  return (id ?? _id) as string | undefined
}

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
  const by = named(turn, origin)
  // The parts change the records in place.
  const copied = (id: unknown) => {
    const found = typeof id === 'string' ? record?.(turn, id, database) : undefined
    return found && JSON.parse(JSON.stringify(found))
  }
  const named_id = audit.id ? audit.id(part, origin) : idOf(part)
  const before = copied(named_id)
  const owner = named_id === undefined ? undefined : audit.projectOf?.(turn, named_id)
  const result = run()
  const body = answerOf(result)
  const answer = body && audit.answered ? audit.answered(body) : body
  if (answer === null) return result
  const after = copied(named_id ?? idOf(answer)) ?? (before ? undefined : answer)
  const target_id = idOf(after) ?? idOf(before) ?? named_id
  if (!before && !after) return result
  const own = turn.state.project_id
  for (const project_id of new Set([own, owner ?? own])) {
    recordAudit(turn, by, { target_kind: audit.target, target_id, before, after }, project_id)
  }
  return result
}
