/** The costs of the messages of the project. */
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { costAnswer, costQuery, costsFile, costWindow, ownGroups, readCosts } from './cost_sums.ts'

const shared = { auth: 'token', scope: 'messages:read', method: 'GET', status: 200 } as const

export const costRoutes: Route[] = [
  route({
    ...shared,
    path: '/v1/messages/costs',
    operation: 'get_costs',
    summary:
      'Get what delivered messages have cost, by the rates of the operator, for each day, category, channel or bulk send',
    query: costQuery(ownGroups, costWindow),
    response: costAnswer,
    read: ({ query }, { database, project_id }) => readCosts(database, { project_id }, query),
  }),
  route({
    ...shared,
    path: '/v1/messages/costs.csv',
    operation: 'download_costs',
    response_type: 'text/csv',
    has_etag: false,
    summary: 'Download what delivered messages have cost as a CSV file',
    query: costQuery(ownGroups, {}),
    errors: ['RANGE_NOT_SATISFIABLE'],
    download: ({ query }, { database, project_id }) => costsFile(database, { project_id }, query),
  }),
]
