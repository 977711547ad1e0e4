import { buildIndex, type Migration } from './step.ts'

/** The sums of a board: amounts of open tickets by stage, and the tickets that have one, out of an index alone. */
export const board: Migration = {
  name: '0049_board',
  steps: [
    buildIndex(
      'ticket_amount',
      'ticket (project_id, stage_id) include (amount_currency, amount, _id) where not is_closed and amount is not null',
    ),
  ],
}
