/** A project of the load: its token and one of its contacts. */
export type Tenant = { token: string; chat_user_id: string }

/** Projects in every cluster: enough that each node has some of the partitions that they are in. */
export const PROJECTS = 64

/** Scenarios of this variant record events, others send messages. */
export const INGEST = 'ingest'

/** `{n}` is another number in each message, so each goes to another person. */
export const MESSAGE = {
  channel: 'whatsapp',
  to: '+49170{n}',
  message: {
    type: 'text',
    body: 'Your order A-{n} left our warehouse this morning and arrives tomorrow between 9 and 12.',
  },
  meta_data: { order: 'A-{n}', campaign: 'autumn' },
}
