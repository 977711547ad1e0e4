/** Cases of test sets from conversations that were. */
import * as v from 'valibot'
import { caseOfTicket, exampleIds, newTestCase, plainIdPattern, testSetRecord } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { testSetFor } from './test_work.ts'
import { mustHaveScopes } from './token_scopes.ts'

export const testCaseRoutes: Route[] = [
  route({
    auth: 'token',
    scope: 'assistants:write',
    method: 'POST',
    path: '/v1/assistants/:id/test-sets/:test_set_id/cases',
    params: { id: plainIdPattern, test_set_id: plainIdPattern },
    operation: 'append_test_case',
    example: { body: { ticket_id: exampleIds.ticket } },
    audited: true,
    summary: 'Append a case from the conversation of a ticket, without the names and addresses of the person',
    body: newTestCase,
    status: 201,
    response: v.object({ test_set: testSetRecord }),
    errors: ['NOT_FOUND', 'TICKET_NOT_FOUND', 'NOTHING_TO_TEST', 'TEST_CASE_LIMIT_REACHED'],
    async act({ params, body: { ticket_id, name } }, { database, project_id, token_id }) {
      // The answer has what the person wrote. Agents, who have no token, read it anyway.
      if (token_id !== '')
        await mustHaveScopes({ database, project_id, token_id }, ['assistants:write', 'messages:read'])
      const { _id: id, assistant_id } = await testSetFor({ database, project_id }, params)
      const made = await caseOfTicket(database, { project_id, assistant_id, ticket_id })
      if (made === 'no_ticket') throw new Refusal('TICKET_NOT_FOUND')
      if (made === 'no_steps') throw new Refusal('NOTHING_TO_TEST')
      const { chat_user, test_case } = made
      const named = { name: name ?? `Ticket ${ticket_id.slice(-6)}`, ...test_case }
      const change = { type: 'append_test_case' as const, id, assistant_id, chat_user, test_case: named }
      return { changes: [change], answer: { record: true } }
    },
  }),
]
