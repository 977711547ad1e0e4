import { buildIndex, dropIndex, inTransaction, type Migration } from './step.ts'

/**
 * Counts the pieces of each row of `source`, which has columns company_id, full_name, email and one. The total is
 * written even when it is unchanged, so that the version of its row shows every change.
 */
const counted = (source: string) => `
      insert into customer_gram as known (company_id, gram, count)
        select company_id, gram, sum(one) from ${source} source,
          lateral (select distinct gram from unnest(customer_grams(full_name, email)) gram) own
        group by 1, 2 having sum(one) <> 0 or gram = ''
        -- In one order, so that two writers never wait for each other.
        order by 1, 2
        on conflict (company_id, gram) do update set count = known.count + excluded.count;`

/**
 * Tables and indexes of the searches.
 *
 * - Texts are compared in the lower case of the database's own locale.
 * - `btree_gin` puts the owner of a row into the same index as its text, so that the cost of a search depends only on
 *   its own project or company. `unaccent` lets "jose" find "José". Both come with PostgreSQL and are trusted, as
 *   `pg_trgm` is.
 * - Messages have no index of their words: it would make each insert half as expensive again. `message_text` is filled
 *   asynchronously (storage/message_text.ts), and a search reads the newest messages themselves.
 */
export const search: Migration = {
  name: '0011_search',
  steps: [
    inTransaction(
      'create extension if not exists btree_gin',
      'create extension if not exists unaccent',

      // Removes case and accents.
      `create function search_fold(text text) returns text language sql immutable strict parallel safe
    return lower(unaccent('unaccent', text))`,
      // A pattern for texts that contain the given one, whatever characters it has.
      `create function search_pattern(text text) returns text language sql immutable strict parallel safe
    return '%' || regexp_replace(search_fold(text), '([\\\\%_])', '\\\\\\1', 'g') || '%'`,

      // The parts are separated by a character that no search can contain.
      `create function contact_text(name text, phone text, user_id text) returns text
    language sql immutable parallel safe
    return search_fold(coalesce(name, '') || E'\\x01' || coalesce(phone, '') || E'\\x01' || user_id)`,
    ),
    // New entries wait in a pending list until some writer has to sort it in: a short list keeps that wait short.
    buildIndex(
      'contact_search',
      `contact using gin (project_id, contact_text(name, phone, user_id) gin_trgm_ops)
        with (gin_pending_list_limit = 64)`,
    ),
    inTransaction(
      // All pieces of one to three characters, and the empty one. plpgsql, because it takes half the time of SQL here.
      // Its cost keeps plans from calling it for each row; restricted, because starting workers takes longer than most
      // searches.
      `create function customer_grams(full_name text, email text) returns text[]
    language plpgsql immutable parallel restricted cost 5000 as $$
    declare
      word text;
      a text;
      b text;
      c text;
      grams text[] := array[''];
    begin
      foreach word in array array[lower(full_name), coalesce(lower(email), '')] loop
        a := null;
        b := null;
        foreach c in array string_to_array(word, null) loop
          grams := grams || c;
          if b is not null then grams := grams || (b || c); end if;
          if a is not null then grams := grams || (a || b || c); end if;
          a := b;
          b := c;
        end loop;
      end loop;
      return grams;
    end $$`,
    ),
    dropIndex('customer_search'),
    buildIndex('customer_grams', 'customer using gin (company_id, customer_grams(full_name, email))'),
    inTransaction(
      // Half of each page stays free, so that a count is rewritten in place.
      `create table customer_gram (
    company_id text collate "C" not null,
    gram text collate "C" not null,
    count bigint not null,
    primary key (company_id, gram)
  ) with (fillfactor = 50)`,
      // The count equals the customers with the gram at the end of each statement, under any number of concurrent
      // writers.
      `create function count_customer_grams() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then ${counted('(select *, 1 as one from added)')}
      elsif tg_op = 'DELETE' then ${counted('(select *, -1 as one from gone)')}
      else ${counted('(select *, 1 as one from added union all select *, -1 from gone)')}
      end if;
      return null;
    end $$`,
      `create trigger customer_added after insert on customer referencing new table as added
    for each statement execute function count_customer_grams()`,
      `create trigger customer_changed after update on customer referencing old table as gone new table as added
    for each statement execute function count_customer_grams()`,
      `create trigger customer_gone after delete on customer referencing old table as gone
    for each statement execute function count_customer_grams()`,

      // Runs of letters and digits. The parser of text searches would drop markup and keep addresses whole.
      `create function search_words(text text) returns text[] language sql immutable strict parallel safe
    return array(select distinct left(word, 64) from regexp_split_to_table(search_fold(text), '[^[:alnum:]]+') word
      where word <> '')`,
      // Words that begin with those of the text; null when it has none, and then nothing is found.
      `create function search_query(text text) returns tsquery language sql immutable strict parallel safe
    return (select string_agg(quote_literal(word) || ':*', ' & ')::tsquery from unnest(search_words(text)) word)`,
      // The visible text of a message. It is cut, because long texts are rarely searched and may not fit into an index.
      `create function message_words(message json) returns text language sql immutable parallel safe
    return left(coalesce(message->>'body', message->>'caption', message->>'body_text',
      message->'button_reply'->>'title', message->'list_reply'->>'title'), 20000)`,
      `create table message_text (
    id text collate "C" primary key,
    project_id text collate "C" not null,
    document tsvector not null
  )`,
      `create index message_text_project on message_text (project_id, id desc)`,
      `create index message_text_document on message_text using gin (project_id, document)`,
      // One row: the last message in message_text.
      `create table message_text_progress (
    one boolean primary key default true constraint message_text_progress_one_check check (one),
    up_to text collate "C" not null
  )`,
      `insert into message_text_progress (up_to) values ('')`,
    ),
  ],
}
