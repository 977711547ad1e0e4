import { inTransaction, type Migration } from './step.ts'

/** A template has the provider's id, its quality, and the changes of its category. */
export const templateFacts: Migration = {
  name: '0078_template_facts',
  steps: [
    inTransaction(
      `alter table template
         add column provider_template_id text,
         add column rejected_reason text,
         add column previous_category text,
         add column next_category text,
         add column quality text`,
    ),
  ],
}
