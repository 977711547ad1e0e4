/** The definitions of the CRM: pipelines, tags, event types, custom fields. */
import type { Feature } from '../turn/feature.ts'
import { refreshDefinitions } from './refresh_definitions.ts'

export const definitions = {
  refreshes: { crm: refreshDefinitions },
} satisfies Feature
