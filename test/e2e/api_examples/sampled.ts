/** The operations whose code samples run. */
import type { DescribedOperation } from '../../../http/openapi/describe.ts'
import { callOf } from '../../../http/openapi/samples/call.ts'

/** One operation of each kind of request and answer. None of them changes what the examples need. */
export const SAMPLED = [
  ...['list_contacts', 'search_crm', 'create_note', 'update_contact', 'search_knowledge', 'delete_knowledge_node'],
  ...['upload_media', 'download_media', 'delete_media', 'redeliver_webhook_delivery', 'download_broadcast_recipients'],
  ...['download_costs', 'download_costs_of_companies'],
  ...['save_block_content', 'get_openapi', 'create_company', 'get_company', 'update_company', 'delete_company'],
  ...['check_channel', 'save_content_of_block', 'get_knowledge_tree_of_project', 'download_export'],
  'search_knowledge_of_project',
]

/** Operations of the same kind have samples that differ in names and values only. */
export function kindOf(operation: DescribedOperation, base_url: string): string {
  const { method, url, headers, json, form, answer } = callOf(operation, base_url)
  const body = form ? 'form' : json === undefined ? 'no body' : 'JSON'
  const query = url.includes('?') ? 'query' : 'no query'
  return [method, operation.auth, body, query, answer, headers['Idempotency-Key'] ? 'key' : 'no key'].join(', ')
}
