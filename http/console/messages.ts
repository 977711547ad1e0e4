/** Operations of agents on messages that the API does not have. */
import * as v from 'valibot'
import { acceptedMessage, idPattern, messageRecord } from '../../actors/mod.ts'
import { sendErrors } from '../routes/messages/messages.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'

export const retryRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/console/projects/:project_id/messages/:id/retry',
    operation: 'retry_message',
    summary: 'Send a failed message again, as a new one; however often it is asked for, it is sent once',
    auth: 'agent',
    pool: 'exempt',
    params: { id: idPattern('msg') },
    status: 202,
    // A later request is answered when the new message may be on its way.
    response: v.object({
      ...acceptedMessage.entries,
      status: messageRecord.entries.status,
      retry_of: acceptedMessage.entries.id,
    }),
    errors: ['NOT_FOUND', 'MESSAGE_NOT_FAILED', ...sendErrors, 'MARKETING_CAP_REACHED'],
    command: ({ params }) => ({ type: 'retry_message', id: params.id }),
  }),
]
