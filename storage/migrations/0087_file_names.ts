import { inTransaction, type Migration } from './step.ts'

/** Messages are found by the names of their files, too. Those that are indexed already are found by their words alone. */
export const fileNames: Migration = {
  name: '0087_file_names',
  steps: [
    inTransaction(
      `create function message_files(message json) returns text language sql immutable parallel safe
    return left(nullif(trim(coalesce(message->>'filename', '') || ' ' || coalesce((select string_agg(file->>'filename', ' ')
      from json_array_elements(case when json_typeof(message->'attachments') = 'array' then message->'attachments' else '[]'::json end) file), '')), ''),
      20000)`,
      `create function message_said(message json) returns text language sql immutable parallel safe
    return nullif(trim(coalesce(message_words(message), '') || ' ' || coalesce(message_files(message), '')), '')`,
      `create or replace function index_changed_message() returns trigger language plpgsql as $$
    declare words text := message_said(new.message);
    begin
      if words is null then delete from message_text where id = new.id;
      else update message_text set document = array_to_tsvector(search_words(words)) where id = new.id;
      end if;
      return null;
    end $$`,
    ),
  ],
}
