/**
 * Documents that are imported from files and addresses.
 *
 * 1. An import is a row beside its document. The row says what is to be done, so imports survive the death of any node:
 *    the project is woken at its next owner, and a timer looks again.
 * 2. An attempt is stored before it begins. Its result reaches the actor that began it, and changes the document only
 *    if no other import or attempt has begun since. So each import takes effect once.
 * 3. At most a few imports of a project are under way at once, and the places of a node are shared fairly among
 *    projects. Further imports wait as rows.
 */
import type { Feature } from '../turn/feature.ts'
import { importEnded } from './import_ended.ts'
import { importFile } from './import_file.ts'
import { importUrl } from './import_url.ts'
import { repeatImport } from './repeat_import.ts'
import { runImports } from './run_imports.ts'

export const knowledgeImports = {
  commands: {
    import_knowledge_url: importUrl,
    repeat_knowledge_import: repeatImport,
  },
  changes: { import_knowledge_file: importFile },
  receivers: {
    run_imports: runImports,
    import_ended: importEnded,
    wake: runImports,
  },
} satisfies Feature
