import type { Assistant } from '../records/assistant.ts'
import type { Assistants } from './assistants.ts'
import type { OpenAssistant } from './open_assistant.ts'

/** The properties of a part of an assistant's page. */
export type PartProps = { assistants: Assistants; open: OpenAssistant; assistant: Assistant }
