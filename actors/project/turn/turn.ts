import type { Turn } from '../../../runtime/mod.ts'
import type { Records } from './records.ts'
import type { ProjectState } from './state.ts'

/** A turn of the project actor. */
export type ProjectTurn = Turn<ProjectState, Records>
