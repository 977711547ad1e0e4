/**
 * Operations of the API that agents have, by feature. All need the permission `console.agent`; the table names the
 * further permission that some need. An operation that is not here is for tokens alone.
 */

import { MANAGES_ASSISTANTS } from '../routes/assistants/work.ts'
import { MANAGES_TEMPLATES } from '../routes/templates/templates.ts'
import { MANAGES_WEBHOOKS } from '../routes/webhooks/places.ts'

const all = (...operations: string[]) => operations.map((operation) => [operation, undefined] as const)
const only = (permission: string, ...operations: string[]) =>
  operations.map((operation) => [operation, permission] as const)

/** The further permission by operation. */
export const offered: ReadonlyMap<string, string | undefined> = new Map<string, string | undefined>([
  ...all('send_message', 'list_messages', 'get_message', 'mark_message_read', 'take_thread', 'release_thread'),
  ...all('get_costs', 'download_costs'),
  ...all('upload_media', 'get_media', 'get_media_thumbnail', 'download_media', 'fetch_media'),
  ...all('list_templates', 'get_template', 'list_flows', 'get_flow'),
  ...only(MANAGES_TEMPLATES, 'create_template', 'update_template', 'delete_template'),
  ...all('list_contacts', 'get_contact', 'create_contact', 'update_contact'),
  ...all('merge_contacts', 'list_contact_merges', 'undo_contact_merge', 'list_customers', 'get_customer'),
  ...all('search_crm', 'list_tickets', 'get_ticket', 'update_ticket', 'move_ticket', 'list_ticket_timeline'),
  ...all('take_over_ticket', 'hand_back_ticket', 'generate_assistant_reply', 'summarize_conversation'),
  ...all('list_assistants', 'get_assistant', 'list_assistant_turns', 'get_assistant_turn'),
  ...all(
    'list_assistant_deployments',
    'list_assistant_blocks',
    'get_assistant_prompt',
    'preview_assistant_prompt',
    'list_agent_tools',
  ),
  ...all('list_blocks', 'get_block', 'get_block_content', 'list_block_versions', 'get_block_version'),
  ...only(MANAGES_ASSISTANTS, 'create_assistant', 'update_assistant', 'set_assistant_deployments', 'update_agent'),
  ...only(MANAGES_ASSISTANTS, 'attach_block', 'detach_block', 'save_block_content', 'update_block'),
  ...only(MANAGES_ASSISTANTS, 'release_held_version', 'discard_held_version'),
  ...only(MANAGES_ASSISTANTS, 'create_response_format_block', 'create_steps_block', 'create_objective_block'),
  ...only(MANAGES_ASSISTANTS, 'create_cases_possible_block', 'archive_block', 'unarchive_block'),
  ...all('list_test_sets', 'get_test_set', 'list_test_runs', 'get_test_run'),
  ...only(MANAGES_ASSISTANTS, 'create_test_set', 'replace_test_set', 'delete_test_set', 'append_test_case'),
  ...only(MANAGES_ASSISTANTS, 'start_test_run', 'cancel_test_run'),
  ...all('create_note', 'list_notes', 'get_note', 'record_event', 'list_events', 'get_event'),
  ...all('list_appointments', 'get_appointment', 'confirm_appointment'),
  ...all('get_loyalty_program', 'get_loyalty_membership', 'list_loyalty_ledger'),
  ...all('get_knowledge_tree', 'search_knowledge', 'get_knowledge_node'),
  ...all('create_knowledge_node', 'update_knowledge_node', 'delete_knowledge_node'),
  ...all('import_knowledge_file', 'import_knowledge_url', 'repeat_knowledge_import'),
  ...all('get_knowledge_import', 'list_knowledge_imports'),
  ...all('send_bulk', 'list_broadcasts', 'get_broadcast', 'list_broadcast_recipients'),
  ...all('download_broadcast_recipients', 'cancel_broadcast'),
  ...all('list_webhooks', 'get_webhook', 'list_event_types', 'list_webhook_deliveries', 'get_webhook_delivery'),
  ...all('redeliver_webhook_delivery', 'recover_webhook', 'test_webhook'),
  ...all('get_webhook_event', 'list_webhook_signing_keys'),
  ...only(MANAGES_WEBHOOKS, 'create_webhook', 'update_webhook', 'delete_webhook', 'rotate_webhook_secret'),
  ...only(MANAGES_WEBHOOKS, 'rotate_webhook_signing_key'),
])
