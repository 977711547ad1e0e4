/** Expectations of assistants. */
import * as v from 'valibot'
import {
  newTestSet,
  plainIdPattern,
  testSetRecord,
  testSetSummary,
  toTestSetRecord,
  toTestSetSummary,
} from '../../../actors/mod.ts'
import { listTestSets } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf, recordCursor, search } from '../../server/schema/fields.ts'
import { testCaseRoutes } from './test_cases.ts'
import { testRunRoutes } from './test_runs.ts'
import { assistantIdOf, testSetFor } from './test_work.ts'

const many = { path: '/v1/assistants/:id/test-sets', params: { id: plainIdPattern } } as const
const one = {
  path: '/v1/assistants/:id/test-sets/:test_set_id',
  params: { id: plainIdPattern, test_set_id: plainIdPattern },
} as const
const reads = { auth: 'token', scope: 'assistants:read' } as const
const writes = { auth: 'token', scope: 'assistants:write' } as const
const single = v.object({ test_set: testSetRecord })

const example = {
  body: {
    name: 'Delivery',
    runs: 3,
    pass_rate: 0.9,
    cases: [
      {
        name: 'Where is my order?',
        steps: [
          {
            user: ['Hello', 'Where is my order A-1001?'],
            expect: { outcome: 'answered', tools: ['find_order'], includes: [['on its way', 'shipped']] },
          },
        ],
        fixtures: [{ tool: 'find_order', arguments: { number: 'A-1001' }, result: { status: 'shipped' } }],
      },
    ],
  },
}

export const testSetRoutes: Route[] = [
  route({
    ...reads,
    ...many,
    method: 'GET',
    operation: 'list_test_sets',
    summary: 'List the test sets of an assistant, newest first, without their cases',
    query: v.strictObject({
      name: v.optional(v.pipe(search.wrapped, v.description('The set with this name'))),
      limit,
      cursor: recordCursor,
    }),
    status: 200,
    response: pageOf(testSetSummary),
    errors: ['NOT_FOUND'],
    async read({ params, query: { limit, cursor, ...filter } }, context) {
      const assistant_id = await assistantIdOf(context, params.id)
      const place = { project_id: context.project_id, assistant_id }
      const page = await listTestSets(context.database, place, filter, { limit, cursor })
      return { ...page, data: page.data.map(toTestSetSummary) }
    },
  }),
  route({
    ...writes,
    ...many,
    method: 'POST',
    operation: 'create_test_set',
    example,
    audited: true,
    summary: 'Create a test set: conversations, each with what is expected of the assistant',
    body: newTestSet,
    status: 201,
    response: single,
    errors: ['NOT_FOUND', 'TEST_SET_ALREADY_EXISTS', 'TEST_SET_LIMIT_REACHED', 'NO_CONTACT'],
    command: ({ params, body }) => ({
      type: 'create_test_set',
      assistant_id: params.id.toLowerCase(),
      fields: body,
    }),
  }),
  route({
    ...reads,
    ...one,
    method: 'GET',
    operation: 'get_test_set',
    summary: 'Get a test set with its cases',
    status: 200,
    response: single,
    errors: ['NOT_FOUND'],
    async read({ params }, context) {
      const row = await testSetFor(context, params)
      return { test_set: toTestSetRecord(row) }
    },
  }),
  route({
    ...writes,
    ...one,
    method: 'PUT',
    operation: 'replace_test_set',
    example,
    audited: true,
    summary: 'Replace a test set; the runs that there are keep the cases that they tried',
    body: newTestSet,
    status: 200,
    response: single,
    errors: ['NOT_FOUND', 'TEST_SET_ALREADY_EXISTS', 'NO_CONTACT'],
    command: ({ params, body }) => ({
      type: 'replace_test_set',
      id: params.test_set_id.toLowerCase(),
      assistant_id: params.id.toLowerCase(),
      fields: body,
    }),
  }),
  route({
    ...writes,
    ...one,
    method: 'DELETE',
    operation: 'delete_test_set',
    audited: true,
    summary: 'Delete a test set with its runs; a run under way ends',
    status: 204,
    errors: ['NOT_FOUND'],
    command: ({ params }) => ({
      type: 'delete_test_set',
      id: params.test_set_id.toLowerCase(),
      assistant_id: params.id.toLowerCase(),
    }),
  }),
  ...testCaseRoutes,
  ...testRunRoutes,
]
