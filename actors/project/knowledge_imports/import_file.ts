/** `POST /v1/knowledge/nodes/import`: the file is stored by then, and is converted after the answer. */
import { auditedNode } from '../knowledge/place.ts'
import type { Change } from '../turn/feature.ts'
import { beginImport, type ImportFields, type UploadedFile, wantImport } from './begin_import.ts'

export type ImportFile = {
  type: 'import_knowledge_file'
  filename: string
  file: UploadedFile
} & ImportFields

/** @throws {Refusal} codes of `beginImport` */
export const importFile: Change<ImportFile> = {
  audit: auditedNode,
  reads(reads, { filename, file, ...fields }) {
    wantImport(reads, { origin: 'file', source: filename, file }, fields)
  },
  apply: (turn, { filename, file, parent_id, name, language }) =>
    beginImport(turn, { origin: 'file', source: filename, file }, { parent_id, name, language }),
}
