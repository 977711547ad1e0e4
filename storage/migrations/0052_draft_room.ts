import { buildIndex, inTransaction, type Migration } from './step.ts'

/** Drafts of an agent in a project. */
const DRAFTS = 200

/**
 * - An agent who answers leaves a deleted draft with its version at each ticket. These made room for others among the 200
 *   drafts of the agent by pushing out texts that were not sent yet. Now they are the first to go.
 * - The scheduled messages of one agent are listed without looking at those of all others.
 */
export const draftRoom: Migration = {
  name: '0052_draft_room',
  steps: [
    inTransaction(
      `create or replace function draft_bounded() returns trigger language plpgsql as $$
      begin
        delete from draft where ctid = any (array(
          select kept.ctid from draft kept join (
            select ticket_id, kind from draft where project_id = new.project_id and user_id = new.user_id
            order by content = '' and json_array_length(attachments) = 0, updated_at desc, ticket_id desc, kind desc
            offset ${DRAFTS}
          ) last using (ticket_id, kind)
          where kept.user_id = new.user_id for update of kept skip locked));
        return null;
      end $$`,
    ),
    buildIndex('scheduled_message_author', 'scheduled_message (project_id, created_by, status, send_at, id)'),
  ],
}
