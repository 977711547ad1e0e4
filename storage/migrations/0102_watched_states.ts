import { buildIndex, type Migration } from './step.ts'

/** Indexes for the figures that operators watch: each count reads no row but those that it counts. */
export const watchedStates: Migration = {
  name: '0102_watched_states',
  steps: [
    buildIndex('channel_state', 'channel (is_active, status)'),
    buildIndex('inbox_entry_assisted', `inbox_entry (ticket_id) where handled_by = 'assistant' and not is_closed`),
  ],
}
