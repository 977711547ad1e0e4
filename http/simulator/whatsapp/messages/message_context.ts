import type { Json } from '../requests/check.ts'

/** The account that a message is sent from, as far as checking the message needs it. */
export type MessageContext = {
  hasMedia(id: string): boolean
  /** Throws GraphError when the template cannot be sent with these components. */
  checkTemplate(template: Json): void
  /** Throws GraphError when the Flow cannot be sent in this mode. */
  checkFlow(flow_id: string, mode: string | undefined): void
}
