/** The places and times at which an assistant answers. */
import * as v from 'valibot'
import {
  deploymentRecord,
  exampleIds,
  newDeployments,
  plainIdPattern,
  toDeploymentRecord,
} from '../../../actors/mod.ts'
import { listDeployments } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { assistantOf } from './work.ts'

const one = {
  auth: 'token',
  path: '/v1/assistants/:id/deployments',
  params: { id: plainIdPattern },
  status: 200,
  response: v.object({ deployments: v.array(deploymentRecord) }),
} as const

export const deploymentRoutes: Route[] = [
  route({
    ...one,
    scope: 'assistants:read',
    method: 'GET',
    operation: 'list_assistant_deployments',
    summary: 'List where and when an assistant answers, in the order in which its deployments are tried',
    errors: ['NOT_FOUND'],
    async read({ params }, context) {
      const { _id } = await assistantOf(context, params.id)
      return { deployments: (await listDeployments(context.database, _id)).map(toDeploymentRecord) }
    },
  }),
  route({
    ...one,
    scope: 'assistants:write',
    method: 'PUT',
    operation: 'set_assistant_deployments',
    example: {
      body: {
        deployments: [
          { channel_ids: [exampleIds.channel], answers: 'outside_hours' },
          { answers: 'unanswered', after_minutes: 15, tag_ids: [exampleIds.tag] },
        ],
      },
    },
    audited: true,
    summary: 'Replace where and when an assistant answers',
    body: newDeployments,
    errors: ['NOT_FOUND', 'CHANNEL_NOT_FOUND', 'TAG_NOT_FOUND', 'DEPLOYMENT_LIMIT_REACHED'],
    command: ({ params, body }) => ({ type: 'set_deployments', id: params.id, deployments: body.deployments }),
  }),
]
