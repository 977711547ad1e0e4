/** The places of the console, as the address names them. */
import type { BroadcastFilter, RecipientStatus } from './broadcast.ts'

/** Fields that a place does not have. */
type None<Field extends string> = { [name in Field]?: undefined }

/** `nowhere`: the address is wrong. `recipients` is the status of those that are shown; without it, all are. */
export type Place =
  | ({ page: 'start' } & None<'project_id' | 'filter' | 'id' | 'recipients'>)
  | ({ page: 'nowhere'; project_id?: string | undefined } & None<'filter' | 'id' | 'recipients'>)
  | ({ page: 'broadcasts'; project_id: string; filter: BroadcastFilter } & None<'id' | 'recipients'>)
  | ({
      page: 'broadcast'
      project_id: string
      id: string
      recipients: RecipientStatus | undefined
    } & None<'filter'>)
