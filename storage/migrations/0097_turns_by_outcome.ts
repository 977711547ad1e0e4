import { buildIndex, inTransaction, type Migration } from './step.ts'

/**
 * Rare outcomes of turns are found without reading all others, and the deployments of a project are deleted with it.
 */
export const turnsByOutcome: Migration = {
  name: '0097_turns_by_outcome',
  steps: [
    buildIndex(
      'assistant_turn_outcome',
      'assistant_turn (project_id, assistant_id, outcome, _id desc) where outcome is not null',
    ),
    inTransaction(
      `alter table assistant_deployment add constraint assistant_deployment_project_id_fkey
        foreign key (project_id) references project on delete cascade not valid`,
    ),
    inTransaction('alter table assistant_deployment validate constraint assistant_deployment_project_id_fkey'),
  ],
}
