import { inTransaction, type Migration } from './step.ts'

/**
 * A ticket goes only into a stage that there is, and holds it until its commit ends: whoever deletes a stage takes its row first
 * and then counts the tickets in it. No foreign key, since closed tickets keep the id of a stage that was deleted. One that is
 * reopened then is in no stage, so it only holds a stage that is still there.
 */
export const heldStages: Migration = {
  name: '0027_held_stages',
  steps: [
    inTransaction(
      `create function ticket_in_stage() returns trigger language plpgsql as $$
      declare
        enters boolean := true;
      begin
        if tg_op = 'UPDATE' then
          enters := new.stage_id is distinct from old.stage_id;
        end if;
        if enters or not new.is_closed then
          perform from pipeline_stage where _id = new.stage_id for key share;
          if enters and not found then
            raise foreign_key_violation using constraint = 'ticket_in_stage', table = 'ticket',
              message = format('the stage %s of ticket %s is gone', new.stage_id, new._id);
          end if;
        end if;
        return new;
      end $$`,
      `create trigger ticket_in_stage before insert or update of stage_id, is_closed on ticket
        for each row when (new.stage_id is not null) execute function ticket_in_stage()`,
    ),
  ],
}
