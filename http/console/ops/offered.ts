/**
 * Operations of the operator API that users with the permission `console.operator` have in the console, at `/console/ops`
 * instead of `/admin/v1`. What is not here needs an operator key: whatever shows or takes a secret, keys of operators, the
 * rights of data subjects, and the records of a tenant, which its own agents keep. Of a project they change what it may use:
 * its limits and its cap on marketing.
 */
export const offeredToOperators: readonly string[] = [
  'drain_node',
  'update_project',
  'get_channel',
  'check_channel',
  'request_channel_history',
  'get_channel_history',
  'get_dead_letter',
  'replay_dead_letter',
  'replay_dead_letters',
  'drop_dead_letter',
  'drop_dead_letters',
  'get_token',
  'revoke_token',
  'get_user',
  'create_user',
  'update_user',
  'invite_user',
  'list_audit',
  'get_audit_entry',
]
