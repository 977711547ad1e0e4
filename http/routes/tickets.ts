/** Tickets: the work for a contact. */
import * as v from 'valibot'
import { type TicketRecord, toTicketRecord } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { findTicket } from '../../storage/mod.ts'
import type { Route } from '../route.ts'
import { plainIdPattern } from './fields.ts'
import { ticketPatch } from './ticket_patch.ts'
import { ticketRecord } from './ticket_record.ts'

const one = { path: '/v1/crm/tickets/:id', params: { id: plainIdPattern } } as const

export const ticketRoutes: Route[] = [
  {
    ...one,
    method: 'GET',
    operation: 'get_ticket',
    summary: 'Get one ticket; its version is the ETag of the answer',
    auth: 'token',
    scope: 'crm:tickets:read',
    status: 200,
    response: ticketRecord,
    versioned: ({ version }: TicketRecord) => version,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    async read({ params }, { database, project_id }) {
      const found = await findTicket(database, project_id, params.id!)
      if (!found) throw new Refusal('NOT_FOUND')
      return toTicketRecord(found.ticket, found.contact, found)
    },
  },
  {
    ...one,
    method: 'PATCH',
    operation: 'update_ticket',
    summary: 'Change the fields that are sent, close or reopen the ticket; the rules of stages do not run',
    auth: 'token',
    scope: 'crm:tickets:write',
    body: ticketPatch,
    status: 200,
    response: v.object({
      ticket: ticketRecord,
      just_closed: v.boolean(),
      action: v.picklist(['updated', 'closed', 'reopened', 'unchanged']),
    }),
    versioned: ({ ticket }: { ticket: TicketRecord }) => ticket.version,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'TAG_NOT_FOUND', 'ASSIGNEE_NOT_FOUND', 'TICKET_ALREADY_OPEN'],
    command: ({ params, body, if_match }) => ({ type: 'update_ticket', id: params.id!, if_match, patch: body }),
  },
]
