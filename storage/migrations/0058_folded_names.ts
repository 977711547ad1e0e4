import { buildIndex, type Migration } from './step.ts'

/**
 * Searches of customers and bulk sends ignore accents, as those of contacts do. `broadcast_search` serves nodes of the
 * release before. Parts of a text are separated by a character that no search can contain.
 */
export const foldedNames: Migration = {
  name: '0058_folded_names',
  steps: [
    buildIndex(
      'customer_names',
      `customer using gin (company_id, search_fold(full_name || E'\\x01' || coalesce(email, '')) gin_trgm_ops)
        with (gin_pending_list_limit = 64)`,
    ),
    buildIndex(
      'broadcast_names',
      `broadcast using gin (project_id, search_fold(coalesce(campaign_name, '') || E'\\x01' || template_name) gin_trgm_ops)`,
    ),
  ],
}
