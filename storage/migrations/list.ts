import { runtime } from './0001_runtime.ts'
import { domain } from './0002_domain.ts'
import { rateWindow } from './0003_rate_window.ts'
import { deliveries } from './0004_deliveries.ts'
import { media } from './0005_media.ts'
import { flows } from './0006_flows.ts'
import { channelPace } from './0007_channel_pace.ts'
import { contactWindows } from './0008_contact_windows.ts'
import { broadcasts } from './0009_broadcasts.ts'
import { crm } from './0010_crm.ts'
import { search } from './0011_search.ts'
import { dispatchBroadcast } from './0012_dispatch_broadcast.ts'
import { consoleSessions } from './0013_console_sessions.ts'
import { contactSeparation } from './0014_contact_separation.ts'
import { ticketAmount } from './0016_ticket_amount.ts'
import { dispatchError } from './0017_dispatch_error.ts'
import { earlyNews } from './0018_early_news.ts'
import { unverifiedChannels } from './0019_unverified_channels.ts'
import { vaultCanary } from './0020_vault_canary.ts'
import { leases } from './0021_leases.ts'
import { deadLetters } from './0022_dead_letters.ts'
import { rowsByKey } from './0023_rows_by_key.ts'
import { statesByPlace } from './0024_states_by_place.ts'
import { rest } from './0025_rest.ts'
import { prunedPages } from './0026_pruned_pages.ts'
import { heldStages } from './0027_held_stages.ts'
import { heldCustomers } from './0028_held_customers.ts'
import { assistants } from './0029_assistants.ts'
import { agentTools } from './0030_agent_tools.ts'
import { knowledge } from './0031_knowledge.ts'
import { knowledgeImports } from './0032_knowledge_imports.ts'
import { appointments } from './0033_appointments.ts'
import { loyalty } from './0034_loyalty.ts'
import { audit } from './0035_audit.ts'
import { operatorKeys } from './0036_operator_keys.ts'
import { tokenUse } from './0037_token_use.ts'
import { secretRotation } from './0038_secret_rotation.ts'
import { dataRights } from './0039_data_rights.ts'
import { erasure } from './0040_erasure.ts'
import { exportRetention } from './0041_export_retention.ts'
import { replacedKeys } from './0042_replaced_keys.ts'
import { webhooks } from './0043_webhooks.ts'
import { inbox } from './0044_inbox.ts'
import { bulkActions } from './0045_bulk_actions.ts'
import { webChat } from './0046_web_chat.ts'
import { later } from './0047_later.ts'
import { agentRecords } from './0048_agent_records.ts'
import { board } from './0049_board.ts'
import { operations } from './0050_operations.ts'
import { broadcastSearch } from './0051_broadcast_search.ts'
import { draftRoom } from './0052_draft_room.ts'
import { leftByOlderNodes } from './0053_left_by_older_nodes.ts'
import { heldAssignees } from './0054_held_assignees.ts'
import { unconfirmedMessages } from './0055_unconfirmed_messages.ts'
import { requestValues } from './0056_request_values.ts'
import { pollGroups } from './0057_poll_groups.ts'
import { foldedNames } from './0058_folded_names.ts'
import { knowledgeClaims } from './0059_knowledge_claims.ts'
import { failedReplies } from './0060_failed_replies.ts'
import { clusterIdentity } from './0061_cluster_identity.ts'
import { userInvitations } from './0062_user_invitations.ts'
import { listFilters } from './0063_list_filters.ts'
import { sendersAndFailures } from './0064_senders_and_failures.ts'
import { recordNames } from './0065_record_names.ts'
import { readMarksTakenBack } from './0066_read_marks_taken_back.ts'
import { visitorBrowsers } from './0067_visitor_browsers.ts'
import { changedMessages } from './0068_changed_messages.ts'
import { consent } from './0069_consent.ts'
import { importWarnings } from './0070_import_warnings.ts'
import { ignoredCallbacks } from './0071_ignored_callbacks.ts'
import { definitionNames } from './0072_definition_names.ts'
import { customerExternalId } from './0073_customer_external_id.ts'
import { ticketExternalId } from './0074_ticket_external_id.ts'
import { mediaFetches } from './0075_media_fetches.ts'
import { noteAttachments } from './0076_note_attachments.ts'
import { messageOrigin } from './0077_message_origin.ts'
import { templateFacts } from './0078_template_facts.ts'
import { receivedMedia } from './0079_received_media.ts'
import { mediaThumbnails } from './0080_media_thumbnails.ts'
import { historyImports } from './0081_history_imports.ts'
import { mediaSentOn } from './0082_media_sent_on.ts'
import { threads } from './0083_threads.ts'
import { officeHours } from './0084_office_hours.ts'
import { contactEmail } from './0085_contact_email.ts'
import { contactMerges } from './0086_contact_merges.ts'
import { fileNames } from './0087_file_names.ts'
import { messageCosts } from './0088_message_costs.ts'
import { broadcastSender } from './0089_broadcast_sender.ts'
import { unreadMail } from './0090_unread_mail.ts'
import { heldRows } from './0091_held_rows.ts'
import { assistantsAtWork } from './0092_assistants_at_work.ts'
import { settableTicketFields } from './0093_settable_ticket_fields.ts'
import { assistantAnswers } from './0094_assistant_answers.ts'
import { inboxHandlers } from './0095_inbox_handlers.ts'
import { assistantBudgets } from './0096_assistant_budgets.ts'
import { turnsByOutcome } from './0097_turns_by_outcome.ts'
import { statesSwept } from './0098_states_swept.ts'
import { assistantTestSets } from './0099_assistant_test_sets.ts'
import { heldVersions } from './0100_held_versions.ts'
import { testedVersions } from './0101_tested_versions.ts'
import { watchedStates } from './0102_watched_states.ts'
import { requestIds } from './0103_request_ids.ts'
import type { Migration } from './step.ts'

/** Every migration in the order it is applied. */
export const migrations: readonly Migration[] = [
  runtime,
  domain,
  rateWindow,
  deliveries,
  media,
  flows,
  channelPace,
  contactWindows,
  broadcasts,
  crm,
  search,
  dispatchBroadcast,
  consoleSessions,
  contactSeparation,
  ticketAmount,
  dispatchError,
  earlyNews,
  unverifiedChannels,
  vaultCanary,
  leases,
  deadLetters,
  rowsByKey,
  statesByPlace,
  rest,
  prunedPages,
  heldStages,
  heldCustomers,
  assistants,
  agentTools,
  knowledge,
  knowledgeImports,
  appointments,
  loyalty,
  audit,
  operatorKeys,
  tokenUse,
  secretRotation,
  dataRights,
  erasure,
  exportRetention,
  replacedKeys,
  webhooks,
  inbox,
  bulkActions,
  webChat,
  later,
  agentRecords,
  board,
  operations,
  broadcastSearch,
  draftRoom,
  leftByOlderNodes,
  heldAssignees,
  unconfirmedMessages,
  requestValues,
  pollGroups,
  foldedNames,
  knowledgeClaims,
  failedReplies,
  clusterIdentity,
  userInvitations,
  listFilters,
  sendersAndFailures,
  recordNames,
  readMarksTakenBack,
  visitorBrowsers,
  changedMessages,
  consent,
  importWarnings,
  ignoredCallbacks,
  definitionNames,
  customerExternalId,
  ticketExternalId,
  mediaFetches,
  noteAttachments,
  messageOrigin,
  templateFacts,
  receivedMedia,
  mediaThumbnails,
  historyImports,
  mediaSentOn,
  threads,
  officeHours,
  contactEmail,
  contactMerges,
  fileNames,
  messageCosts,
  broadcastSender,
  unreadMail,
  heldRows,
  assistantsAtWork,
  settableTicketFields,
  assistantAnswers,
  inboxHandlers,
  assistantBudgets,
  turnsByOutcome,
  statesSwept,
  assistantTestSets,
  heldVersions,
  testedVersions,
  watchedStates,
  requestIds,
]
