/** Events of contacts, recorded by clients. */
import type { Feature } from '../turn/feature.ts'
import { recordClientEvent } from './record_event.ts'

export const events = {
  commands: { record_event: recordClientEvent },
} satisfies Feature
