import type { Project } from '../data/project.ts'
import type { Knowledge } from './knowledge.ts'

/** Props that the views of the section share. `ask` opens a dialog. */
export type Shared = { project: Project; knowledge: Knowledge; ask(request: DialogRequest): void }

/** A dialog that is asked for. `folder` is that of new nodes, null for the top. */
export type DialogRequest =
  | { kind: 'document' | 'folder' | 'files' | 'addresses'; folder: string | null }
  | { kind: 'rename' | 'move' | 'delete'; id: string }
