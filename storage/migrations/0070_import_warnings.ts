import { inBatches, inTransaction, type Migration } from './step.ts'

/**
 * An import knows the encoding that came with its file, and what the text of its document lacks. The conversion of pages
 * and PDF files left out more before; without their hash, the next import of the same bytes converts them again.
 */
export const importWarnings: Migration = {
  name: '0070_import_warnings',
  steps: [
    inTransaction(
      `alter table knowledge_import add column charset text, add column warnings jsonb not null default '[]'`,
    ),
    inBatches({
      table: 'knowledge_import',
      key: 'node_id',
      set: 'sha256 = null',
      where: `status = 'done' and mime_type in ('text/html', 'application/pdf') and sha256 is not null`,
    }),
  ],
}
