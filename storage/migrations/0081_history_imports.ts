import { inTransaction, type Migration } from './step.ts'

/**
 * Messages from before a phone was paired. They have ids of their own time, so the walk that indexes words in the order
 * of ids (`message_text.ts`) has passed them; the trigger indexes them as they come.
 */
export const historyImports: Migration = {
  name: '0081_history_imports',
  steps: [
    inTransaction(
      'alter table message add column imported_at timestamptz(3)',
      `create function index_imported_message() returns trigger language plpgsql as $$
    declare words text := message_words(new.message);
    begin
      if words is not null then
        insert into message_text (id, project_id, document)
        values (new.id, new.project_id, array_to_tsvector(search_words(words))) on conflict do nothing;
      end if;
      return null;
    end $$`,
      `create trigger message_imported after insert on message for each row
    when (new.imported_at is not null) execute function index_imported_message()`,
    ),
    inTransaction('alter table contact add column address_book_name text'),
    inTransaction(
      `create table history_import (
        _id text collate "C" primary key,
        company_id text collate "C" not null,
        project_id text collate "C" not null,
        channel_id text collate "C" not null,
        status text not null,
        webhooks boolean not null,
        requested_at timestamptz(3),
        phase integer,
        progress integer not null,
        waiting_count integer not null,
        message_count integer not null,
        known_count integer not null,
        unreadable_count integer not null,
        name_count integer not null,
        error json,
        completed_at timestamptz(3),
        ended_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      )`,
      'create unique index history_import_pairing on history_import (channel_id) where ended_at is null',
      'create index history_import_channel on history_import (channel_id, _id)',
      'create index history_import_project on history_import (project_id) where waiting_count > 0',
      `create table history_part (
        _id text collate "C" primary key,
        import_id text collate "C" not null,
        project_id text collate "C" not null,
        channel_id text collate "C" not null,
        user_id text,
        count integer not null,
        size integer not null,
        content json not null
      )`,
      'create index history_part_import on history_part (import_id, _id)',
      'create index history_part_person on history_part (project_id, user_id)',
    ),
  ],
}
