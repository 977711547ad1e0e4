import { inTransaction, type Migration } from './step.ts'

/** Maximum steps from a node to the top that the guard follows. The actor's own limit is lower. */
const MAX_STEPS = 64

/** Impacts are stored as whole multiples of its inverse. */
const SCALE = 14_000

/** Documents that must be indexed again, or taken out of the index. A later change restarts the attempts. */
const enqueue = (source: string) => `
      insert into knowledge_reindex as queued (node_id, project_id, revision)
        select _id, project_id, revision from ${source}
        on conflict (node_id) do update
        set revision = excluded.revision, due_at = now(), attempts = 0;`

/** Adds the nodes of `source` (project_id, type, one) to the totals of their projects. */
const counted = (source: string) => `
      insert into knowledge_tree as known (project_id, folders, documents)
        select project_id, coalesce(sum(one) filter (where type = 'folder'), 0),
          coalesce(sum(one) filter (where type = 'document'), 0)
        from ${source} source group by project_id
        -- In one order, so that two writers never wait for each other.
        order by project_id
        on conflict (project_id) do update
        set folders = known.folders + excluded.folders, documents = known.documents + excluded.documents;`

/**
 * Knowledge: a tree of folders and documents per project, and the index of its words.
 *
 * - The project's actor writes `knowledge_node`, the indexer (storage/knowledge) all other tables and the columns
 *   `index_status`, `index_error`, `words` and a detected `language`.
 * - Triggers keep what must hold for every writer: a parent is a folder of the same project, there are no cycles, what
 *   is below a deleted folder is deleted with it, and each change of a document is queued in the same transaction. The
 *   first three are checked at the end of the transaction, whatever the order of its statements.
 * - `knowledge_posting` has one row for each distinct term of a document. `impact` is the part of the term's BM25 score
 *   that depends on the document; postings of a term are read from the greatest impact down.
 * - The tables that are written in large numbers have no foreign keys (storage/setup/removal.ts).
 * - Terms are stems, without accents and case. `knowledge_word` leads from the words as written to their terms.
 */
export const knowledge: Migration = {
  name: '0031_knowledge',
  steps: [
    inTransaction(
      // Longer contents are stored apart, so that the rows of the tree stay small.
      `create table knowledge_node (
    _id text collate "C" primary key,
    number integer generated always as identity constraint knowledge_node_number unique,
    company_id text collate "C" not null,
    project_id text collate "C" not null references project,
    parent_id text collate "C",
    type text not null constraint knowledge_node_type_check check (type in ('folder', 'document')),
    name text not null,
    content text,
    source_url text,
    language text,
    language_is_given boolean not null default false,
    index_status text not null constraint knowledge_node_index_status_check
      check (index_status in ('pending', 'indexed', 'failed')),
    index_error text,
    words integer not null default 0,
    revision integer not null default 1,
    is_active boolean not null default true,
    deleted_with text collate "C",
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  ) with (toast_tuple_target = 128)`,
      `create index knowledge_node_children on knowledge_node
    (project_id, parent_id, (search_fold(name)) collate "C", _id) where is_active`,
      `create index knowledge_node_folders on knowledge_node (parent_id) where is_active and type = 'folder'`,
      `create index knowledge_node_project on knowledge_node (project_id, _id desc) where is_active`,
      `create index knowledge_node_failed on knowledge_node (project_id, _id desc)
    where is_active and index_status = 'failed'`,
      `create index knowledge_node_indexed on knowledge_node (project_id, number) where words > 0`,
      `create index knowledge_node_content on knowledge_node (updated_at) where not is_active and content is not null`,
      `create index knowledge_node_gone on knowledge_node (project_id) where not is_active`,

      // Active nodes of a project. Half of each page stays free, so that a row is rewritten in place.
      `create table knowledge_tree (
    project_id text collate "C" primary key references project on delete cascade,
    folders integer not null default 0,
    documents integer not null default 0
  ) with (fillfactor = 50)`,

      `create table knowledge_reindex (
    node_id text collate "C" primary key,
    project_id text collate "C" not null,
    revision integer not null,
    due_at timestamptz(3) not null default now(),
    attempts integer not null default 0
  )`,
      `create index knowledge_reindex_due on knowledge_reindex (project_id, due_at, node_id)`,

      // Indexed documents of a project. `norm` is the mean number of words that impacts are computed with. While they
      // are computed anew, `renormed` is the last document that is done.
      `create table knowledge_corpus (
    project_id text collate "C" primary key references project on delete cascade,
    documents integer not null default 0,
    words bigint not null default 0,
    norm real not null default 1,
    renormed integer,
    languages jsonb not null default '{}'
  ) with (fillfactor = 50)`,

      `create table knowledge_term (
    id bigint generated always as identity primary key,
    project_id text collate "C" not null,
    term text collate "C" not null,
    documents integer not null
  ) with (fillfactor = 70)`,
      `create unique index knowledge_term_project on knowledge_term (project_id, term)`,

      `create table knowledge_word (
    project_id text collate "C" not null,
    word text collate "C" not null,
    term_id bigint not null,
    primary key (project_id, word, term_id)
  )`,
      `create index knowledge_word_term on knowledge_word (term_id)`,
      `create index knowledge_word_similar on knowledge_word using gin (project_id, word gin_trgm_ops)
    with (gin_pending_list_limit = 64)`,

      // Vacuumed early: only pages without recent rows are read from the index alone.
      `create table knowledge_posting (
    number integer not null,
    term_id bigint not null,
    impact smallint not null,
    count smallint not null,
    place integer not null,
    primary key (number, term_id) include (impact)
  ) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02)`,
      `create index knowledge_posting_impact on knowledge_posting (term_id, impact desc, number)`,

      // BM25 with k1 = 1.2 and b = 0.75, as a whole number: 2.2 times ${SCALE} is the most that it can be.
      `create function knowledge_impact(count integer, words integer, norm real) returns smallint
    language sql immutable parallel safe
    return round(${SCALE} * 2.2 * count / (count + 1.2 * (0.25 + 0.75 * words / norm)))::smallint`,

      // Words like another one, most alike first. A threshold of the function alone.
      `create function knowledge_similar(project text, asked text, most integer)
    returns table (word text, term_id bigint) language sql stable parallel safe
    set pg_trgm.similarity_threshold = 0.25 as $$
      select found.word, found.term_id from knowledge_word found
      where found.project_id = project and found.word % asked
      order by similarity(found.word, asked) desc, found.word limit most
    $$`,

      `create function check_knowledge_place() returns trigger language plpgsql as $$
    declare
      above text := new.parent_id;
      found_type text;
      found_project text;
      next text;
    begin
      for step in 1..${MAX_STEPS} loop
        if above = new._id then raise exception 'knowledge node % is below itself', new._id; end if;
        select type, project_id, parent_id into found_type, found_project, next
          from knowledge_node where _id = above;
        if found_type is distinct from 'folder' or found_project is distinct from new.project_id then
          raise exception 'knowledge node % is not in a folder of its project', new._id;
        end if;
        if next is null then return null; end if;
        above := next;
      end loop;
      raise exception 'knowledge node % is too deep', new._id;
    end $$`,
      `create constraint trigger knowledge_node_placed after insert or update of parent_id on knowledge_node
    deferrable initially deferred for each row when (new.parent_id is not null)
    execute function check_knowledge_place()`,

      // One statement, however many nodes there are below. Nodes deleted with a folder name it, so that folders among
      // them do nothing.
      `create function delete_knowledge_below() returns trigger language plpgsql as $$
    declare folders text[];
    begin
      with recursive below as (
        select new._id as _id
        union
        select child._id from below join knowledge_node child on child.parent_id = below._id
        where child.is_active and child.type = 'folder'
      )
      select array_agg(_id) into folders from below;
      update knowledge_node set is_active = false, deleted_with = new._id, revision = revision + 1, updated_at = new.updated_at
        where project_id = new.project_id and parent_id = any(folders) and is_active;
      return null;
    end $$`,
      `create constraint trigger knowledge_folder_deleted after update of is_active on knowledge_node
    deferrable initially deferred for each row
    when (old.is_active and not new.is_active and new.type = 'folder' and new.deleted_with is null)
    execute function delete_knowledge_below()`,

      `create function note_knowledge_added() returns trigger language plpgsql as $$
    begin ${counted('(select project_id, type, 1 as one from added where is_active)')}
      ${enqueue(`(select * from added where type = 'document' order by _id) source`)}
      return null;
    end $$`,
      // Its plan is kept from a first call, for one row as a rule. With a nested loop a large folder would take hours.
      `create function note_knowledge_changed() returns trigger language plpgsql
    set enable_nestloop = off set enable_hashjoin = on as $$
    begin ${counted(`(select after.project_id, after.type, -1 as one from added after join gone before using (_id)
        where before.is_active and not after.is_active)`)}
      ${enqueue(`(select after.* from added after join gone before using (_id) where after.type = 'document'
        and before.revision <> after.revision order by _id) source`)}
      return null;
    end $$`,
      `create trigger knowledge_node_added after insert on knowledge_node referencing new table as added
    for each statement execute function note_knowledge_added()`,
      `create trigger knowledge_node_changed after update on knowledge_node
    referencing old table as gone new table as added for each statement execute function note_knowledge_changed()`,
    ),
  ],
}
