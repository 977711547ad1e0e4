import { inTransaction, type Migration } from './step.ts'

/**
 * Messages that their author edited or withdrew, and notices of it that arrive before their message.
 *
 * The words of a message that changes are indexed again at once, if they were indexed at all.
 */
export const changedMessages: Migration = {
  name: '0068_changed_messages',
  steps: [
    inTransaction(
      'alter table message add column edited_at timestamptz(3), add column deleted_at timestamptz(3)',
      `create function index_changed_message() returns trigger language plpgsql as $$
    declare words text := message_words(new.message);
    begin
      if words is null then delete from message_text where id = new.id;
      else update message_text set document = array_to_tsvector(search_words(words)) where id = new.id;
      end if;
      return null;
    end $$`,
      `create trigger message_changed after update of message on message for each row
    when (old.message::text is distinct from new.message::text) execute function index_changed_message()`,
    ),
    inTransaction(
      `alter table early_status
      add column notice_id text,
      drop constraint early_status_status_check,
      add constraint early_status_status_check
        check (status in ('sent', 'delivered', 'read', 'failed', 'edited', 'deleted')) not valid`,
    ),
    inTransaction('alter table early_status validate constraint early_status_status_check'),
  ],
}
