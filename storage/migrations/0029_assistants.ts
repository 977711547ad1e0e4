import { inTransaction, type Migration } from './step.ts'

const owner = `project_id text collate "C" not null references project on delete cascade`
const stamps = `created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()`

/**
 * Assistants, their blocks of instructions, and every content that a block has had.
 *
 * - An assistant has at most one block of each identity type: `assistant_block_identity` enforces it under any
 *   concurrency.
 * - The ids of knowledge nodes have no foreign key, because an assistant keeps those of deleted nodes.
 * - Links have no foreign keys to their blocks, because the rows of one commit are inserted in no particular order.
 */
export const assistants: Migration = {
  name: '0029_assistants',
  steps: [
    inTransaction(
      `create table assistant (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    ${owner},
    name text not null,
    description text,
    avatar_url text,
    avatar_emoji text,
    model text not null,
    knowledge_node_ids text[] not null default '{}',
    is_active boolean not null default true,
    ${stamps}
  )`,
      `create index assistant_project on assistant (project_id, _id desc)`,

      `create table block (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    ${owner},
    name text not null,
    type text not null constraint block_type_check check (type in ('personification', 'objective', 'response_format',
      'steps', 'cases_possible', 'do_not', 'response_policy', 'product_info', 'store_info', 'reservation_info',
      'tables_info', 'tags')),
    is_archived boolean not null default false,
    current_version_id text collate "C",
    ${stamps}
  )`,
      `create index block_project on block (project_id, _id desc)`,

      `create table block_version (
    _id text collate "C" primary key,
    ${owner},
    block_id text collate "C" not null,
    edit_mode text not null constraint block_version_edit_mode_check check (edit_mode in ('free', 'assisted')),
    content text,
    payload json,
    created_at timestamptz(3) not null default now(),
    constraint block_version_content_check check ((edit_mode = 'free') = (content is not null)
      and (edit_mode = 'assisted') = (payload is not null))
  )`,
      `create index block_version_block on block_version (project_id, block_id, _id desc)`,

      `create table assistant_block (
    assistant_id text collate "C" not null,
    block_id text collate "C" not null,
    ${owner},
    type text not null,
    "order" integer not null,
    created_at timestamptz(3) not null default now(),
    primary key (assistant_id, block_id)
  )`,
      `create index assistant_block_project on assistant_block (project_id, block_id)`,
      `create unique index assistant_block_identity on assistant_block (assistant_id, type)
    where type in ('personification', 'objective', 'response_format')`,
    ),
  ],
}
