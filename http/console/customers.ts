/** Customers in the console: created and changed by agents, as by operators. */

import { changedCustomer, customerRecord, newCustomer, plainIdPattern } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { ChangeRefused, changeCustomer, findCustomer, storeCustomer } from '../../storage/mod.ts'
import { customFieldsMustBeDefined } from '../routes/customers/custom_values.ts'
import { sayCustomerChanged } from '../server/changes/customer_changed.ts'
import type { RequestContext, Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'

const LIST = '/console/projects/:project_id/crm/customers'
const common = { auth: 'agent', pool: 'exempt', response: customerRecord } as const

export const customerRoutes: Route[] = [
  route({
    ...common,
    method: 'POST',
    path: LIST,
    operation: 'console_create_customer',
    summary: 'Create a customer of the company',
    body: newCustomer,
    status: 201,
    errors: ['NOT_FOUND', 'EXTERNAL_ID_TAKEN'],
    async change({ body }, context) {
      const { database, company_id } = context
      const { _id } = await explained(storeCustomer(database, { ...body, company_id }, customFieldsMustBeDefined))
      sayCustomerChanged(context.runtime, { company_id, _id })
      return read(context, _id)
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path: `${LIST}/:id`,
    operation: 'console_update_customer',
    summary: 'Change a customer; tags and custom_fields are replaced as a whole',
    params: { id: plainIdPattern },
    body: changedCustomer,
    status: 200,
    errors: ['NOT_FOUND', 'EXTERNAL_ID_TAKEN'],
    async change({ params, body }, context) {
      const { _id } = await read(context, params.id)
      await explained(changeCustomer(context.database, _id, body, customFieldsMustBeDefined))
      sayCustomerChanged(context.runtime, { company_id: context.company_id, _id })
      return read(context, _id)
    },
  }),
]

/** @throws {Refusal} NOT_FOUND */
async function read({ database, company_id, project_id }: RequestContext, _id: string) {
  const found = await findCustomer(database, { company_id, project_id }, _id)
  if (!found) throw new Refusal('NOT_FOUND')
  return found
}

/** @throws {Refusal} NOT_FOUND for a record that is deleted meanwhile, EXTERNAL_ID_TAKEN */
async function explained<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error
    throw error.code === 'EXTERNAL_ID_TAKEN' ? new Refusal(error.code, error) : new Refusal('NOT_FOUND')
  }
}
