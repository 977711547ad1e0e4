/** The Flows of a WhatsApp Business Account, managed through the Graph API while a client waits. */
import { UNREADABLE } from '../answer.ts'
import { isObject, type Json, objects, textOf } from '../json.ts'
import { AccountCalls } from './account_calls.ts'
import type { WhatsAppCredentials } from './graph.ts'
import type { Failed } from './operation.ts'

/** A Flow in the provider's format. `status` is the provider's, such as `PUBLISHED`. */
export type ProviderFlow = { id: string; name: string; status: string; validation_errors: Json[] }

const FLOWS_PER_PAGE = 100
const MAX_PAGES = 50
const FIELDS = 'id,name,status,validation_errors'

/** Every call ends by `deadline` (a moment of `performance.now()`). None rejects or tries again. */
export class WhatsAppFlows extends AccountCalls {
  /** Creates a draft without screens. Names are unique within an account. */
  async create(
    credentials: WhatsAppCredentials,
    flow: { name: string; categories: string[]; endpoint_uri?: string | undefined },
    deadline: number,
  ): Promise<{ id: string } | Failed> {
    const called = await this.call(credentials, 'POST', `${credentials.business_account_id}/flows`, deadline, {
      body: flow,
    })
    if ('failure' in called) return called
    const id = textOf(called.body.id)
    return id === null ? { failure: UNREADABLE } : { id }
  }

  /** Sets the screens of a draft. The provider stores an invalid Flow JSON nevertheless, with its errors. */
  async upload(
    credentials: WhatsAppCredentials,
    id: string,
    flow_json: string,
    deadline: number,
  ): Promise<{ validation_errors: Json[] } | Failed> {
    const form = new FormData()
    form.set('name', 'flow.json')
    form.set('asset_type', 'FLOW_JSON')
    form.set('file', new File([flow_json], 'flow.json', { type: 'application/json' }))
    const called = await this.call(credentials, 'POST', `${id}/assets`, deadline, { form })
    return 'failure' in called ? called : { validation_errors: objects(called.body.validation_errors) }
  }

  /** Publishing cannot be undone. */
  publish(credentials: WhatsAppCredentials, id: string, deadline: number): Promise<{ body: Json } | Failed> {
    return this.call(credentials, 'POST', `${id}/publish`, deadline)
  }

  /** Only a draft can be deleted. A missing one counts as deleted. */
  async remove(credentials: WhatsAppCredentials, id: string, deadline: number): Promise<{ body: Json } | Failed> {
    const called = await this.call(credentials, 'DELETE', id, deadline)
    return 'failure' in called && called.is_unknown ? { body: {} } : called
  }

  /** Null when the provider has no such Flow. */
  async find(
    credentials: WhatsAppCredentials,
    id: string,
    deadline: number,
  ): Promise<{ flow: ProviderFlow | null } | Failed> {
    const called = await this.call(credentials, 'GET', `${id}?fields=${FIELDS}`, deadline)
    if ('failure' in called) return called.is_unknown ? { flow: null } : called
    return { flow: toFlow(called.body)[0] ?? null }
  }

  /** All Flows of the account. */
  async list(credentials: WhatsAppCredentials, deadline: number): Promise<{ flows: ProviderFlow[] } | Failed> {
    const flows: ProviderFlow[] = []
    let cursor = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      const path = `${credentials.business_account_id}/flows?fields=${FIELDS}&limit=${FLOWS_PER_PAGE}${cursor}`
      const called = await this.call(credentials, 'GET', path, deadline)
      if ('failure' in called) return called
      const { data, paging } = called.body
      flows.push(...objects(data).flatMap(toFlow))
      // Use the cursor, not the link to the next page: a link could send the token elsewhere.
      const { next, cursors } = isObject(paging) ? paging : {}
      const after = next && isObject(cursors) ? textOf(cursors.after) : null
      if (after === null) break
      cursor = `&after=${encodeURIComponent(after)}`
    }
    return { flows }
  }
}

function toFlow(record: Json): ProviderFlow[] {
  const id = textOf(record.id)
  if (id === null) return []
  const validation_errors = objects(record.validation_errors)
  return [{ id, name: textOf(record.name) ?? '', status: textOf(record.status) ?? 'UNKNOWN', validation_errors }]
}
