/**
 * Effects of a call of an operation, for the annotations of its tool and for confirmations. Every operation
 * that writes is listed; a test compares the list with the table of routes.
 */
import type { Route } from '../../server/route/route.ts'

export type Behaviour = {
  reads_only: boolean
  /** A second call with the same arguments changes nothing more. */
  is_idempotent: boolean
  /** It cannot be undone, or it reaches many people. A person has to agree first. */
  needs_consent: boolean
  /** It reaches people or servers outside of Parley. */
  reaches_out: boolean
}

type Kind = 'adds' | 'sets' | 'sends' | 'final' | 'final_sends'

/**
 * adds: makes a record. sets: a repeated call changes nothing more. sends: reaches outside. final: cannot be undone.
 * final_sends: reaches outside and cannot be called back.
 */
const KINDS: Record<string, Kind> = {
  revoke_my_token: 'final',
  create_contact: 'adds',
  update_contact: 'sets',
  merge_contacts: 'sets',
  undo_contact_merge: 'sets',
  take_thread: 'sends',
  release_thread: 'sends',
  update_ticket: 'sets',
  move_ticket: 'sets',
  take_over_ticket: 'sets',
  // The assistant may answer the person.
  hand_back_ticket: 'sends',
  record_event: 'adds',
  create_note: 'adds',
  create_knowledge_node: 'adds',
  update_knowledge_node: 'sets',
  delete_knowledge_node: 'final',
  import_knowledge_file: 'adds',
  import_knowledge_url: 'sends',
  repeat_knowledge_import: 'sends',
  send_message: 'sends',
  mark_message_read: 'sends',
  send_raw_message: 'sends',
  send_bulk: 'final_sends',
  cancel_broadcast: 'final',
  upload_media: 'adds',
  delete_media: 'final',
  fetch_media: 'sends',
  // Submits a text to the provider, which limits edits and keeps the name of a deleted one.
  create_template: 'sends',
  update_template: 'final_sends',
  delete_template: 'final',
  create_flow: 'adds',
  publish_flow: 'final_sends',
  delete_flow: 'final',
  create_agent_tool: 'adds',
  update_agent_tool: 'sets',
  delete_agent_tool: 'final',
  test_agent_tool: 'sends',
  update_agent: 'sets',
  create_assistant: 'adds',
  update_assistant: 'sets',
  set_assistant_deployments: 'sets',
  // The model is outside, and so are tools.
  generate_assistant_reply: 'sends',
  summarize_conversation: 'sends',
  create_test_set: 'adds',
  replace_test_set: 'sets',
  append_test_case: 'adds',
  delete_test_set: 'final',
  // The model is outside.
  start_test_run: 'sends',
  cancel_test_run: 'sets',
  attach_block: 'sets',
  detach_block: 'final',
  create_response_format_block: 'adds',
  create_steps_block: 'adds',
  create_objective_block: 'adds',
  create_cases_possible_block: 'adds',
  update_block: 'sets',
  archive_block: 'sets',
  unarchive_block: 'sets',
  save_block_content: 'adds',
  release_held_version: 'sets',
  discard_held_version: 'final',
  confirm_appointment: 'sets',
  create_webhook: 'adds',
  update_webhook: 'sets',
  delete_webhook: 'final',
  rotate_webhook_secret: 'final',
  rotate_webhook_signing_key: 'final',
  test_webhook: 'sends',
  redeliver_webhook_delivery: 'sends',
  recover_webhook: 'sends',
  // A GET, whose cursor acknowledges the events before it.
  poll_webhook: 'sets',
}

/** The operations that the list names. */
export const classified = Object.keys(KINDS)

/** An operation that the list lacks counts as one that cannot be undone. */
export function behaviourOf(route: Pick<Route, 'operation' | 'method' | 'read' | 'download'>): Behaviour {
  const listed = KINDS[route.operation]
  if (!listed && (route.method === 'GET' || route.read !== undefined || route.download !== undefined)) {
    return { reads_only: true, is_idempotent: true, needs_consent: false, reaches_out: false }
  }
  const kind = listed ?? 'final_sends'
  return {
    reads_only: false,
    is_idempotent: kind === 'sets' || route.method === 'DELETE',
    needs_consent: kind === 'final' || kind === 'final_sends',
    reaches_out: kind === 'sends' || kind === 'final_sends',
  }
}
