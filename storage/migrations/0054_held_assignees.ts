import { inTransaction, type Migration } from './step.ts'

/**
 * An open ticket is assigned only to a user who is there, and holds the user's row until its commit ends: whoever deletes a user
 * takes that row first and then counts the tickets. No foreign key, since closed tickets keep the id of a user who was deleted.
 */
export const heldAssignees: Migration = {
  name: '0054_held_assignees',
  steps: [
    inTransaction(
      `create function ticket_assignee_held() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' and new.assigned_to is not distinct from old.assigned_to and not old.is_closed then
          return new;
        end if;
        perform from "user" where _id = new.assigned_to for key share;
        if not found then
          raise foreign_key_violation using constraint = 'ticket_assignee_held', table = 'ticket',
            message = format('the user %s to whom ticket %s is assigned is gone', new.assigned_to, new._id);
        end if;
        return new;
      end $$`,
      `create trigger ticket_assignee_held before insert or update of assigned_to, is_closed on ticket
        for each row when (new.assigned_to is not null and not new.is_closed) execute function ticket_assignee_held()`,
    ),
  ],
}
