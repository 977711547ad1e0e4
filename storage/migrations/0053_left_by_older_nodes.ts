import { inTransaction, type Migration } from './step.ts'

/** Notifications that one user may cause among the 500 of an agent. */
const OF_ONE = 100
const NOTIFICATIONS = 500

/** The visitors of the web chat that the contacts in `gone` were. */
const OF_VISITORS = `project_id = any (array(select project_id from gone where kind = 'contact'))
  and user_id = any (array(
    select json_array_elements_text(identities) from gone where kind = 'contact' and identities is not null))`

/** A function that runs after the statements that delete rows of `table`, which are `gone`. */
function afterDeletes(table: string, body: string) {
  const name = `${table}_left_by_older_node`
  return inTransaction(
    `create function ${name}() returns trigger language plpgsql as $$
    begin
      ${body}
      return null;
    end $$`,
    `create trigger ${name} after delete on ${table} referencing old table as gone
      for each statement execute function ${name}()`,
  )
}

/**
 * - Nodes of the release before erase people without knowing tables that have no reference to what they delete: the
 *   database deletes those rows. Nodes of this release have done so before, with counts, and leave nothing to it.
 *   The parts of an erasure are deleted when it ends, so what was written meanwhile goes as well. Files of scheduled
 *   messages are noted as those of messages are, unless others are to get them.
 * - One agent who mentions another all day pushes out the notifications of everybody else no more.
 */
export const leftByOlderNodes: Migration = {
  name: '0053_left_by_older_nodes',
  steps: [
    afterDeletes(
      'ticket',
      `delete from inbox_entry where ticket_id = any (array(select _id from gone));
      delete from ticket_read where ticket_id = any (array(select _id from gone));`,
    ),
    afterDeletes(
      'contact',
      `insert into data_erasure_part (erasure_id, kind, value, project_id)
      select distinct part.erasure_id, 'media', media_id, media.project_id
      from gone join data_erasure_part part on part.kind = 'contact' and part.value = gone._id
        join scheduled_message said on said.chat_user = gone._id
        cross join lateral regexp_matches(said.message::text, '([0-9a-f]{24})', 'g') hit
        join media on media_id = hit[1] and media.project_id = said.project_id
      where not exists (
        select from scheduled_message other where other.project_id = said.project_id
          and other.status in ('scheduled', 'failed') and position(media_id in other.message::text) > 0
          and not exists (select from data_erasure_part its where its.erasure_id = part.erasure_id
            and its.kind = 'contact' and its.value = other.chat_user))
      on conflict do nothing;`,
    ),
    afterDeletes(
      'data_erasure_part',
      `if exists (select from gone where kind = 'contact') then
        delete from scheduled_message where chat_user = any (array(select value from gone where kind = 'contact'));
        delete from visitor_identity where ${OF_VISITORS};
        update visitor_session set user_id = '', is_identified = false, ended_at = coalesce(ended_at, now()),
          expires_at = now() + interval '25 hours' where ${OF_VISITORS};
      end if;`,
    ),
    afterDeletes(
      'project',
      `delete from scheduled_message where project_id = any (array(select _id from gone));
      delete from bulk_action_slice where bulk_action_id = any (array(
        select id from bulk_action join gone on project_id = gone._id));
      delete from bulk_action where project_id = any (array(select _id from gone));`,
    ),
    inTransaction(
      `create or replace function notification_bounded() returns trigger language plpgsql as $$
      begin
        delete from notification where ctid = any (array(
          select kept.ctid from notification kept join (
            select _id from notification where project_id = new.project_id and user_id = new.user_id
              and created_by = new.created_by order by _id desc offset ${OF_ONE}
          ) last using (_id) for update of kept skip locked));
        delete from notification where ctid = any (array(
          select kept.ctid from notification kept join (
            select _id from notification where project_id = new.project_id and user_id = new.user_id
              order by _id desc offset ${NOTIFICATIONS}
          ) last using (_id) for update of kept skip locked));
        return null;
      end $$`,
    ),
  ],
}
