/** What operators set up for the CRM. */
import type { Feature } from '../turn/feature.ts'
import { refreshDefinitions } from './refresh_definitions.ts'

export const definitions = {
  refreshes: { crm: refreshDefinitions },
} satisfies Feature
