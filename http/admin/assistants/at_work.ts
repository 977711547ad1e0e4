/** Deployments and turns of the assistants of all projects. */
import * as v from 'valibot'
import {
  assistantTurnRecord,
  deploymentRecord,
  exampleIds,
  newDeployments,
  toDeploymentRecord,
} from '../../../actors/mod.ts'
import { Assistant, listDeployments } from '../../../storage/mod.ts'
import { pageOfTurns, turnOf, turnPage, turnQuery } from '../../routes/assistants/turns.ts'
import type { Route } from '../../server/route/route.ts'
import { operate } from '../operate.ts'
import { operatorRoute } from '../operator_route.ts'
import { findRecord } from '../records.ts'

const deployments = v.object({ deployments: v.array(deploymentRecord) })

export const atWorkRoutes: Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/assistants/:id/deployments',
    operation: 'list_deployments_of_assistant',
    summary: 'List where and when an assistant answers',
    status: 200,
    response: deployments,
    errors: ['NOT_FOUND'],
    async read({ params }, { database }) {
      const { _id } = await findRecord(database, Assistant, params.id)
      return { deployments: (await listDeployments(database, _id)).map(toDeploymentRecord) }
    },
  }),
  operatorRoute({
    method: 'PUT',
    path: '/admin/v1/assistants/:id/deployments',
    operation: 'set_deployments_of_assistant',
    example: { body: { deployments: [{ channel_ids: [exampleIds.channel], answers: 'always' }] } },
    summary: 'Replace where and when an assistant answers',
    status: 200,
    body: newDeployments,
    response: deployments,
    errors: ['NOT_FOUND', 'CHANNEL_NOT_FOUND', 'TAG_NOT_FOUND', 'DEPLOYMENT_LIMIT_REACHED'],
    async change({ params, body }, context) {
      const { _id, project_id } = await findRecord(context.database, Assistant, params.id)
      const command = { type: 'set_deployments' as const, id: _id, ...body }
      return (await operate(context, project_id, command, { repeatable: true })).body
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/assistants/:id/turns',
    operation: 'list_turns_of_assistant',
    summary: 'List what an assistant did, newest first, without the steps',
    status: 200,
    query: turnQuery,
    response: turnPage,
    errors: ['NOT_FOUND'],
    async read({ params, query }, { database }) {
      const { _id, project_id } = await findRecord(database, Assistant, params.id)
      return pageOfTurns({ database, project_id }, _id, query)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/assistants/:id/turns/:turn_id',
    operation: 'get_turn_of_assistant',
    summary: 'Get a turn of an assistant: its steps, its sources, and what it cost',
    status: 200,
    response: v.object({ turn: assistantTurnRecord }),
    errors: ['NOT_FOUND'],
    async read({ params }, { database }) {
      const { _id, project_id } = await findRecord(database, Assistant, params.id)
      return { turn: await turnOf({ database, project_id }, _id, params.turn_id) }
    },
  }),
]
