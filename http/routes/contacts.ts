/** People on channels. */
import * as v from 'valibot'
import { channelTypes } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { findContact } from '../../storage/mod.ts'
import type { Route } from '../route.ts'
import { plainIdPattern, recordId, timestamp } from './fields.ts'

const contact = v.object({
  _id: recordId,
  channel_type: v.picklist(channelTypes),
  user_id: v.string(),
  channel_id: v.nullable(recordId),
  name: v.nullable(v.string()),
  phone: v.nullable(v.string()),
  avatar: v.nullable(v.string()),
  custom_fields: v.record(v.string(), v.unknown()),
  customer_id: v.nullable(recordId),
  bsuid: v.nullable(v.string()),
  windows: v.pipe(
    v.array(v.object({ channel_id: recordId, expires_at: timestamp, is_open: v.boolean() })),
    v.description('Until when the person may be sent anything on a channel; after it, only what the provider allows'),
  ),
  first_seen_at: timestamp,
  last_seen_at: timestamp,
  created_at: timestamp,
  updated_at: timestamp,
})

export const contactRoutes: Route[] = [
  {
    method: 'GET',
    path: '/v1/contacts/:id',
    operation: 'get_contact',
    summary: 'Get a contact, with the window of each channel it wrote to',
    auth: 'token',
    scope: 'contacts:read',
    params: { id: plainIdPattern },
    status: 200,
    response: contact,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findContact(database, project_id, params.id!, new Date())
      if (!found) throw new Refusal('NOT_FOUND')
      return found
    },
  },
]
