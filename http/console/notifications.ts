/** Notifications of the agent. */
import * as v from 'valibot'
import { across, fieldsOf, notificationRecord, recordId, toNotificationRecord } from '../../actors/mod.ts'
import { listNotifications } from '../../storage/mod.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { flagQuery, limit, pageOf, recordCursor } from '../server/schema/fields.ts'

const LIST = '/console/projects/:project_id/notifications'
/** Notifications that one request may name. */
const MAX_NAMED = 200

const chosen = v.pipe(
  v.strictObject({
    notification_ids: v.optional(v.pipe(v.array(recordId), v.minLength(1), v.maxLength(MAX_NAMED))),
    up_to: v.optional(recordId),
  }),
  across((value, say) => {
    if (Object.keys(fieldsOf(value)).length !== 1) say('must have either notification_ids or up_to')
  }),
)

export const notificationRoutes: Route[] = [
  route({
    method: 'GET',
    path: LIST,
    operation: 'list_notifications',
    summary: "List the agent's notifications, newest first, and count those that are not read",
    auth: 'agent',
    pool: 'exempt',
    query: v.strictObject({ is_unread: v.optional(flagQuery), limit, cursor: recordCursor }),
    status: 200,
    response: v.object({ ...pageOf(notificationRecord).entries, unread_count: v.number() }),
    errors: ['NOT_FOUND'],
    async read({ query: { is_unread, ...window } }, { database, project_id, user_id }) {
      const { data, ...page } = await listNotifications(database, { project_id, user_id }, { is_unread }, window)
      return { ...page, data: data.map(toNotificationRecord) }
    },
  }),
  route({
    method: 'POST',
    path: `${LIST}/read`,
    operation: 'read_notifications',
    summary: "Mark some of the agent's notifications as read, or one and all older ones",
    auth: 'agent',
    pool: 'exempt',
    body: chosen,
    status: 200,
    response: v.object({ unread_count: v.number() }),
    errors: ['NOT_FOUND'],
    command: ({ body }, { user_id }) => ({ type: 'read_notifications', user_id, ...body }),
  }),
]
