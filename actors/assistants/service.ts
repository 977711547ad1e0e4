/**
 * The port to the assistant service, the program that runs the assistants. Parley is the source of their records; the
 * service is told each change before Parley stores it, and a change that the service does not confirm is not stored.
 */

import type { SendFailure } from '../providers/mod.ts'
import type { AssistantRecord, BlockRecord, BlockVersionRecord } from '../records/mod.ts'

/** A record as it will be after the change. `version`: the new content of a block, when the change saves one. */
export type ServiceRecord =
  | { kind: 'assistant'; assistant: AssistantRecord }
  | { kind: 'block'; block: BlockRecord; version: BlockVersionRecord | null }

export type RecordOwner = { company_id: string; project_id: string }

/** Every call ends by `deadline` (a moment of `performance.now()`). None rejects. */
export interface AssistantService {
  /** False when nothing outside has to confirm changes. */
  readonly is_remote: boolean
  /** Replaces the record with this id at the service. Returns undefined once the service has confirmed it. */
  save(record: ServiceRecord, owner: RecordOwner, deadline: number): Promise<SendFailure | undefined>
  /** Removes a record that was not stored after all. */
  remove(kind: ServiceRecord['kind'], id: string, deadline: number): Promise<SendFailure | undefined>
  close(): Promise<void>
}

/** Used without a configured service: nothing outside has to know of assistants. */
export const localAssistants: AssistantService = {
  is_remote: false,
  save: async () => undefined,
  remove: async () => undefined,
  close: async () => {},
}
