import { buildIndex, type Migration } from './step.ts'

/** Lists of tickets that nobody has. */
export const listFilters: Migration = {
  name: '0063_list_filters',
  steps: [buildIndex('ticket_unassigned', 'ticket (project_id, _id desc) where assigned_to is null')],
}
