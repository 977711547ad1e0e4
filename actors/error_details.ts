/**
 * The `details` of errors as examples, for the description of the API. An example has every property that the details of
 * its code can have; tests that see another one fail (`test/support/drift.ts`).
 */
import type { ErrorCode } from './error_catalogue.ts'
import { exampleIds as ids } from './records/mod.ts'

export const errorDetails: Partial<Record<ErrorCode, Record<string, unknown>>> = {
  VALIDATION_ERROR: { violations: [{ path: 'name', message: 'is required', code: 'required' }] },
  INSUFFICIENT_SCOPE: { required: ['messages:write'], missing: ['messages:write'] },
  INSUFFICIENT_PERMISSION: { required: 'developer.manage_webhooks' },
  INSUFFICIENT_ROLE: { required: 'admin', role: 'read' },
  THROTTLED: { exceeded: ['minute'] },
  PAYLOAD_TOO_LARGE: { limit: 1_048_576 },
  METHOD_NOT_ALLOWED: { allowed: ['GET', 'HEAD', 'OPTIONS'] },
  PRECONDITION_FAILED: { version: 7 },
  RANGE_NOT_SATISFIABLE: { size: 4096 },

  BULK_ACTIONS_RUNNING: { running: 20 },
  BULK_ACTION_COUNT_CHANGED: { expected: 120, total: 123 },
  BULK_ACTION_TOO_LARGE: { most: 200_000 },
  CONTACT_ALREADY_EXISTS: { contact_id: ids.contact },
  NO_CONTACT: { chat_user: ids.contact },
  CUSTOMER_NOT_FOUND: { customer_id: ids.customer },
  ASSIGNEE_NOT_FOUND: { assigned_to: ids.user, assign_to: [ids.user] },
  SHORTCUT_ALREADY_EXISTS: { canned_response_id: ids.canned_response },
  CANNED_RESPONSE_LIMIT_REACHED: { limit: 1000 },
  TAG_NOT_FOUND: { tag_ids: [ids.tag] },
  STAGE_NOT_FOUND: { stage_id: ids.stage, stage_ids: [ids.stage] },
  STAGE_REQUIREMENTS_NOT_MET: { fields: ['amount'] },
  SCHEDULED_MESSAGE_OVER: { status: 'sent' },
  SCHEDULED_MESSAGES_FULL: { most: 50, of: 'ticket' },
  EXTERNAL_ID_TAKEN: { id: ids.customer },
  TICKET_ALREADY_OPEN: { ticket_id: ids.ticket },
  EVENT_TYPE_NOT_FOUND: { event_type: 'custom.order_shipped' },
  MISSING_REQUIRED_FIELDS: { fields: ['order'] },
  INVALID_FIELD_VALUE: { fields: ['order'] },
  SYSTEM_EVENT_TYPE: { key: 'ticket.created' },

  MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL: {
    channel: 'telegram',
    type: 'flow',
    supported: ['text', 'image', 'video', 'audio', 'document'],
  },
  MESSAGE_NOT_ACCEPTED_BY_CHANNEL: { channel: 'telegram', path: 'message.buttons.0.id' },
  MESSAGE_NOT_FAILED: { status: 'delivered' },
  MESSAGE_NOT_SENT_YET: { message_id: ids.message },
  MESSAGE_NOT_FOUND: { message_id: ids.message },
  CHANNEL_REQUIRED: { channels: [{ id: ids.channel, name: 'Support', provider_account_id: '106540352242922' }] },
  CHANNEL_NOT_CONNECTED: {
    channel: 'whatsapp',
    channel_id: ids.channel,
    provider: { code: '190', message: 'The access token is not valid.' },
  },
  CHANNEL_NOT_FOUND: { channel_id: ids.channel, phone_number_id: '106540352242922' },
  OPERATION_NOT_SUPPORTED_FOR_CHANNEL: { channel_id: ids.channel, channel_type: 'telegram', provider: 'cloud' },
  TEMPLATE_NOT_FOUND: { name: 'order_update', language: 'en_US' },
  TEMPLATE_ALREADY_EXISTS: { template_id: ids.template, name: 'order_update', language: 'en_US' },
  TEMPLATE_VARIABLE_INVALID: { variables: ['1'] },
  TEMPLATE_VARIABLE_MISSING: { variables: ['2'] },
  TEMPLATE_FLOW_BUTTON_MISSING: { button_index: 1, flow_buttons: [0] },
  FLOW_INVALID: {
    validation_errors: [{ error: 'MISSING_REQUIRED_PROPERTY', message: 'A screen lacks its id.' }],
    provider: { code: '139002', message: 'The Flow has validation errors.' },
  },
  HISTORY_ALREADY_REQUESTED: { requested_at: '2026-11-30T08:15:00.000Z', status: 'completed' },
  PROVIDER_REFUSED: { provider: { code: '100', message: 'Invalid parameter' } },
  FLOW_NOT_REGISTERED: { flow_id: ids.flow },
  FLOW_ALREADY_PUBLISHED: { status: 'published' },
  FLOW_PUBLISHED: { status: 'published' },
  MEDIA_NOT_FOUND: { media_id: ids.media, channel_id: ids.channel },
  MEDIA_NOT_ACCEPTED: {
    media_id: ids.media,
    mime_type: 'image/gif',
    file_size: 4096,
    kinds: ['image', 'document'],
    accepted: [{ mime_type: 'image/jpeg', max_bytes: 5_242_880 }],
    provider: { code: '100', message: 'Invalid parameter' },
  },
  MEDIA_LIMIT_REACHED: { files: 812, bytes: 107_340_000_000, most_files: 100_000, most_bytes: 107_374_182_400 },
  BROADCAST_FINISHED: { status: 'completed' },
  WEBHOOK_LIMIT_REACHED: { limit: 1000 },

  INVALID_MODEL: { supported: ['gpt-5', 'claude-sonnet-4-5'] },
  ASSISTANT_LIMIT_REACHED: { limit: 1000 },
  ASSISTANT_DUPLICATE_IDENTITY_BLOCK: { type: 'objective', block_id: ids.block },
  BLOCK_NOT_FOUND: { block_id: ids.block },
  BLOCK_LIMIT_REACHED: { limit: 10_000 },
  BLOCK_CONTENT_NOT_WRITABLE: { type: 'product_info' },
  AGENT_TOOL_IN_USE: { agents: [{ _id: ids.assistant, name: 'Front desk' }] },
  AGENT_TOOL_NOT_FOUND: { tools: [ids.tool] },
  AGENT_TOOL_ARGUMENTS_INVALID: {
    violations: [{ path: 'arguments.number', message: 'is required', code: 'required' }],
  },
  AGENT_TOOL_PARAMETERS_UNUSABLE: {
    reason: 'checking these arguments against the parameters takes too long; simplify the parameters',
  },
  TOO_MANY_AGENT_TOOLS: { most: 1000 },

  KNOWLEDGE_NODE_NOT_FOUND: { node_ids: [ids.node] },
  KNOWLEDGE_TREE_FULL: { type: 'document', limit: 200_000 },
  KNOWLEDGE_NODE_BELOW_ITSELF: { parent_id: ids.folder },
  KNOWLEDGE_PARENT_NOT_FOUND: { parent_id: ids.folder },
  KNOWLEDGE_PARENT_NOT_FOLDER: { parent_id: ids.node },
  KNOWLEDGE_TOO_DEEP: { limit: 16 },
  KNOWLEDGE_FOLDER_FULL: { parent_id: ids.folder, limit: 10_000 },

  APPOINTMENT_NOT_PENDING: { status: 'confirmed' },
  APPOINTMENT_NOT_OPEN: { status: 'cancelled' },
  APPOINTMENT_SLOT_TAKEN: {
    appointment_id: ids.appointment,
    number: 1042,
    starts_at: '2026-09-25T16:00:00.000Z',
    ends_at: '2026-09-25T16:30:00.000Z',
  },
  LOCAL_TIME_MISSING: {
    field: 'starts_at',
    timezone: 'Europe/Berlin',
    nearest: ['2031-03-30T01:30:00+01:00', '2031-03-30T03:30:00+02:00'],
  },
  LOCAL_TIME_AMBIGUOUS: {
    field: 'starts_at',
    timezone: 'Europe/Berlin',
    choices: ['2031-10-26T02:30:00+02:00', '2031-10-26T02:30:00+01:00'],
  },

  INSUFFICIENT_BALANCE: { balance: 20, amount: -50 },
  BALANCE_LIMIT_REACHED: { balance: 999_999_990, limit: 1_000_000_000 },
  PROGRAM_LIMIT_REACHED: { limit: 100 },
  PROGRAM_NOT_FOUND: { program_id: ids.program },
  MEMBERSHIP_ALREADY_EXISTS: { membership_id: ids.membership },

  IN_USE: { held_by: { contacts: 2 } },
  PROJECT_NOT_FOUND: { project_id: ids.project },
  USER_NOT_FOUND: { user_id: ids.user },
  INVITATION_THROTTLED: { retry_after: 42 },
  USER_HAS_PASSWORD: { user_id: ids.user },
  USER_INACTIVE: { user_id: ids.user },
  USER_NOT_IN_COMPANY: { user_id: ids.user },
  USER_LACKS_PERMISSION: { user_id: ids.user, permission: 'developer.manage_tokens' },
}

/** Facts that can be null in place of the value of the example. */
export const nullableDetails: readonly string[] = [
  'CHANNEL_REQUIRED.channels.provider_account_id',
  'KNOWLEDGE_FOLDER_FULL.parent_id',
  'TEMPLATE_FLOW_BUTTON_MISSING.button_index',
]
