import { inTransaction, type Migration } from './step.ts'

/** A message may be the answer of an assistant, and a held conversation knows where the person wrote. */
export const assistantAnswers: Migration = {
  name: '0094_assistant_answers',
  steps: [
    inTransaction('alter table message add column assistant_id text collate "C"'),
    inTransaction(
      `alter table assistant_conversation
        add column channel_type text,
        add column address text`,
    ),
    inTransaction('alter table assistant add column hand_over json'),
  ],
}
