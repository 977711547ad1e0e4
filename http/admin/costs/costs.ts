/** The costs of the messages of a company or a project. */
import * as v from 'valibot'
import { across, exampleIds, fieldsOf } from '../../../actors/mod.ts'
import { costGroups } from '../../../storage/mod.ts'
import { costAnswer, costQuery, costsFile, costWindow, readCosts } from '../../routes/messages/cost_sums.ts'
import { objectId } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'

const owner = { company_id: v.optional(objectId), project_id: v.optional(objectId) }

/** The sums of all companies would read every charged message. */
function ofOwner<Input>() {
  return across<Input>((value, say) => {
    const { company_id, project_id } = fieldsOf(value)
    if (company_id === undefined && project_id === undefined) say('must be given, or project_id', ['company_id'])
  })
}

export const costRoutes = [
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/costs',
    operation: 'get_costs_of_companies',
    summary: 'Get what delivered messages of a company or a project have cost, by the rates of the operator',
    status: 200,
    example: { query: { company_id: exampleIds.company, group_by: 'project' } },
    query: v.pipe(costQuery(costGroups, { ...owner, ...costWindow }), ofOwner()),
    response: costAnswer,
    read: ({ query: { company_id, project_id, ...asked } }, { database }) =>
      readCosts(database, { company_id, project_id }, asked),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/costs.csv',
    operation: 'download_costs_of_companies',
    response_type: 'text/csv',
    has_etag: false,
    summary: 'Download what delivered messages of a company or a project have cost as a CSV file',
    status: 200,
    example: { query: { company_id: exampleIds.company } },
    query: v.pipe(costQuery(costGroups, owner), ofOwner()),
    errors: ['RANGE_NOT_SATISFIABLE'],
    download: ({ query: { company_id, project_id, ...asked } }, { database }) =>
      costsFile(database, { company_id, project_id }, asked),
  }),
]
