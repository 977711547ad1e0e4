import type { AuditActorKind } from '../entities/mod.ts'

/** The cause of a change: the caller and the operation. It travels in messages to actors, so it is plain JSON. */
export type Origin = {
  actor_kind: AuditActorKind
  /** The id of the operator key, token or user. Null for the key of the settings, and for the service itself. */
  actor_id: string | null
  /** Null where the id is enough to find the name, as with tokens in the turn of their project. */
  actor_name: string | null
  /** The client address; null where no client asked. */
  address: string | null
  request_id: string | null
  /** The `operation` of the route, or the name of a change that the service makes itself. */
  action: string
}

/** The origin of a change that the service makes itself. `action` is named like operations: `disable_webhook`. */
export function systemOrigin(action: string): Origin {
  return { actor_kind: 'system', actor_id: null, actor_name: null, address: null, request_id: null, action }
}
