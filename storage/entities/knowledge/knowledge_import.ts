import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type ImportOrigin = 'file' | 'url'
export type ImportWarning = { code: string; message: string; count: number }
export type ImportStatus = 'waiting' | 'running' | 'done' | 'failed'

/** The import of a document of the knowledge tree from a file or an address. One for each such document, the latest. */
export const KnowledgeImport = defineEntity({
  name: 'KnowledgeImport',
  tableName: 'knowledge_import',
  properties: {
    node_id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** Changes with each import into the document, so that a result of an earlier one is recognised. */
    import_id: p.text(),
    origin: p.text().$type<ImportOrigin>(),
    /** The address, or the name of the file. */
    source: p.text(),
    /** Finds the document that an earlier import of the same source made. SHA-256, hex. */
    source_hash: p.text(),
    /** The uploaded file, as long as it may be needed. */
    media_id: p.text().nullable(),
    /** Encoding of the uploaded file as its sender named it. */
    charset: p.text().nullable(),
    /** As found in the bytes; null until they were converted. */
    mime_type: p.text().nullable(),
    file_size: p.integer().nullable(),
    /** SHA-256 of the uploaded file, or of the last file from the address, in hex. */
    sha256: p.text().nullable(),
    status: p.text().$type<ImportStatus>(),
    /** Attempts that were begun, the present one included. */
    attempts: p.integer(),
    /** Time of the next attempt. */
    due_at: p.datetime(3),
    /** The name that the import gave the document. Another name was chosen by a person, and stays. */
    named: p.text().nullable(),
    /** Hash of the text that the document had when the import began; null without one. SHA-256, hex. */
    replaces: p.text().nullable(),
    /** Parts of the source that the text lacks. */
    warnings: p.json<ImportWarning[]>().columnType('jsonb'),
    error_code: p.text().nullable(),
    error_message: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type KnowledgeImport = InferEntity<typeof KnowledgeImport>
