/** The set-up of the CRM by operators: pipelines, tags, kinds of events, custom fields. */
import type { Feature } from '../turn/feature.ts'
import { refreshDefinitions } from './refresh_definitions.ts'

export const definitions = {
  refreshes: { crm: refreshDefinitions },
} satisfies Feature
