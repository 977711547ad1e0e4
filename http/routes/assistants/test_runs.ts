/** Runs of test sets, and their results. */
import * as v from 'valibot'
import {
  newTestRun,
  plainIdPattern,
  testResultRecord,
  testRunRecord,
  testRunSummary,
  toTestResultRecord,
  toTestRunRecord,
  toTestRunSummary,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findTestRun, listTestResults, listTestRuns } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { flagQuery, limit, pageOf, recordCursor } from '../../server/schema/fields.ts'
import { testSetFor } from './test_work.ts'

const set_params = { id: plainIdPattern, test_set_id: plainIdPattern } as const
const many = { path: '/v1/assistants/:id/test-sets/:test_set_id/runs', params: set_params } as const
const one = {
  path: '/v1/assistants/:id/test-sets/:test_set_id/runs/:run_id',
  params: { ...set_params, run_id: plainIdPattern },
} as const
const reads = { auth: 'token', scope: 'assistants:read', status: 200 } as const
const runs = { auth: 'token', scope: 'assistants:run', status: 202 } as const
const summary = v.object({ run: testRunSummary })

/** `cursor` of the results: the place of the last one. */
const resultCursor = v.optional(
  v.pipe(v.string(), v.regex(/^\d{1,6}$/, 'must be the next_cursor of a page, a whole number')),
)

export const testRunRoutes: Route[] = [
  route({
    ...runs,
    ...many,
    method: 'POST',
    operation: 'start_test_run',
    example: { body: { runs: 5 } },
    audited: true,
    summary: 'Try all cases of a test set',
    description:
      'The model is asked, and budgets count it; tools outside are not called. At most two runs of a project are under way, others wait.',
    body: newTestRun,
    response: summary,
    errors: ['NOT_FOUND', 'TEST_RUN_LIMIT_REACHED'],
    command: ({ params, body }) => ({
      type: 'start_test_run',
      test_set_id: params.test_set_id.toLowerCase(),
      assistant_id: params.id.toLowerCase(),
      ...body,
    }),
  }),
  route({
    ...reads,
    ...many,
    method: 'GET',
    operation: 'list_test_runs',
    summary: 'List the runs of a test set, newest first',
    query: v.strictObject({ limit, cursor: recordCursor }),
    response: pageOf(testRunSummary),
    errors: ['NOT_FOUND'],
    async read({ params, query }, context) {
      const { _id: test_set_id } = await testSetFor(context, params)
      const { database, project_id } = context
      const page = await listTestRuns(database, { project_id, test_set_id }, query)
      return { ...page, data: page.data.map(toTestRunSummary) }
    },
  }),
  route({
    ...reads,
    ...one,
    method: 'GET',
    operation: 'get_test_run',
    summary: 'Get a run: its progress, the cases that it tries, and a page of the results that there are',
    query: v.strictObject({
      has_passed: v.optional(v.pipe(flagQuery, v.description('Only results that passed, or that failed'))),
      limit,
      cursor: resultCursor,
    }),
    response: v.object({ run: testRunRecord, results: pageOf(testResultRecord) }),
    errors: ['NOT_FOUND'],
    async read({ params, query: { has_passed, limit, cursor } }, context) {
      const { _id: test_set_id } = await testSetFor(context, params)
      const { database, project_id } = context
      const row = await findTestRun(database, { project_id, test_set_id }, params.run_id.toLowerCase())
      if (!row) throw new Refusal('NOT_FOUND')
      const results = await listTestResults(database, row._id, { has_passed }, { limit, cursor })
      return { run: toTestRunRecord(row), results: { ...results, data: results.data.map(toTestResultRecord) } }
    },
  }),
  route({
    ...runs,
    path: `${one.path}/cancel`,
    params: one.params,
    method: 'POST',
    operation: 'cancel_test_run',
    summary: 'Stop a run soon; the results that it has stay, and one that is over stays as it is',
    response: summary,
    errors: ['NOT_FOUND'],
    command: ({ params }) => ({
      type: 'cancel_test_run',
      run_id: params.run_id.toLowerCase(),
      test_set_id: params.test_set_id.toLowerCase(),
      assistant_id: params.id.toLowerCase(),
    }),
  }),
]
