import { inTransaction, type Migration } from './step.ts'

/**
 * Imports of documents: one row for each document that came from a file or an address. The project's actor writes it,
 * in the turns that write the document.
 */
export const knowledgeImports: Migration = {
  name: '0032_knowledge_imports',
  steps: [
    inTransaction(
      `create table knowledge_import (
    node_id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null references project on delete cascade,
    import_id text collate "C" not null,
    origin text not null constraint knowledge_import_origin_check check (origin in ('file', 'url')),
    source text not null,
    source_hash text collate "C" not null,
    media_id text collate "C",
    mime_type text,
    file_size integer,
    sha256 text collate "C",
    status text not null constraint knowledge_import_status_check
      check (status in ('waiting', 'running', 'done', 'failed')),
    attempts integer not null default 0,
    due_at timestamptz(3) not null default now(),
    named text,
    error_code text,
    error_message text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      // Few rows are unfinished, so this index stays small.
      `create index knowledge_import_due on knowledge_import (project_id, due_at, node_id)
    where status in ('waiting', 'running')`,
      `create index knowledge_import_failed on knowledge_import (project_id, node_id desc)
    where status = 'failed'`,
      `create index knowledge_import_source on knowledge_import (project_id, source_hash)`,
      `create index knowledge_import_project on knowledge_import (project_id, node_id desc)`,
    ),
  ],
}
