import { buildIndex, type Migration } from './step.ts'

/**
 * The names of bulk sends for searches by a part of them. The names never change, so the row that each turn of a
 * broadcast rewrites still stays on its page.
 */
export const broadcastSearch: Migration = {
  name: '0051_broadcast_search',
  steps: [
    buildIndex(
      'broadcast_search',
      `broadcast using gin (project_id, lower(coalesce(campaign_name, '') || E'\\n' || template_name) gin_trgm_ops)`,
    ),
  ],
}
