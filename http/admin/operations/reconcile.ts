import * as v from 'valibot'
import { now, reconcileWebhooks } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { inOrder, range } from '../../server/schema/instant.ts'
import { operatorRoute } from '../operator_route.ts'

const DAY_MS = 86_400_000

export const reconcileRoutes: Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/webhooks/reconcile',
    operation: 'reconcile_webhooks',
    summary: 'Compare the events of a period, of all projects, with the deliveries they should have',
    query: v.pipe(v.strictObject({ ...range }), inOrder()),
    status: 200,
    response: v.object({
      since: v.string(),
      until: v.string(),
      events: v.number(),
      expected: v.pipe(
        v.number(),
        v.description('Deliveries there should be: one per event and listening subscription'),
      ),
      deliveries: v.record(v.string(), v.number()),
      overdue: v.pipe(v.number(), v.description('Due for more than ten minutes')),
      differences: v.number(),
      examples: v.array(
        v.object({
          event_id: v.string(),
          subscription_id: v.string(),
          delivery_id: v.nullable(v.string()),
          kind: v.picklist(['missing', 'doubled', 'unexpected', 'inconsistent']),
        }),
      ),
    }),
    async read({ query }, { database }) {
      const until = query.until ? new Date(query.until) : new Date(now() + 1000)
      const since = query.since ? new Date(query.since) : new Date(until.getTime() - DAY_MS)
      return reconcileWebhooks(database, since, until)
    },
  }),
]
