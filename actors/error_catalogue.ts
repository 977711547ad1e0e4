/**
 * Every error a client can get: its code, its HTTP status and its default text. Clients branch on the code, which is the
 * entry's name. An entry with a `code` of its own is another case of that code, with another status.
 * `details` depend on the code and are described with the routes that name it.
 *
 * The file is long because it is one table: types, the reference page and the client are made from it.
 */
export const errorCatalogue = {
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid; details.violations says what to change.' },
  ASSISTANT_DUPLICATE_IDENTITY_BLOCK: {
    status: 400,
    message:
      'The assistant has another block of this type, of which it can have one; details.block_id names it. Detach that one first.',
  },
  UNAUTHENTICATED: { status: 401, message: 'Unauthorized' },
  CONTACT_ALREADY_EXISTS: {
    status: 400,
    message:
      'The company has a contact with this user_id on this channel; details.contact_id names it when it is one of this project.',
  },
  FLOW_PUBLISHED: { status: 400, message: 'Only a draft can be deleted; this Flow was published.' },
  INVALID_MODEL: { status: 400, message: 'This model is not supported; details.supported lists those that are.' },
  HTTPS_REQUIRED: { status: 403, message: 'This API is only served over HTTPS.' },
  INSUFFICIENT_PERMISSION: {
    status: 403,
    message: 'The user lacks the permission that this operation needs; details.required names it.',
  },
  INSUFFICIENT_ROLE: {
    status: 403,
    message: 'The operator key lacks the role that this operation needs; details.required names it.',
  },
  INSUFFICIENT_SCOPE: { status: 403, message: 'The token lacks a scope that this operation needs.' },
  ORIGIN_NOT_ALLOWED: { status: 403, message: "Only the console's own page may ask for this." },
  NOT_FOUND: { status: 404, message: 'There is no such resource.' },
  BLOCK_CONTENT_NOT_FOUND: { status: 404, message: 'The content of this block was never saved.' },
  HELD_VERSION_NOT_FOUND: { status: 404, message: 'The block holds no version, or another one than this.' },
  BLOCK_VERSION_NOT_FOUND: { status: 404, message: 'The block has no version with this id.' },
  BROADCAST_NOT_FOUND: { status: 404, message: 'There is no broadcast with this id.' },
  DELIVERY_NOT_FOUND: { status: 404, message: 'The subscription has no delivery with this id.' },
  INVITATION_NOT_FOUND: {
    status: 404,
    message: 'This invitation was used or replaced, or its time is over; ask for another one.',
  },
  FLOW_NOT_FOUND: { status: 404, message: 'There is no Flow with this id.' },
  WEBHOOK_NOT_FOUND: { status: 404, message: 'There is no webhook subscription with this id.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path does not take this method; see the Allow header.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request body did not arrive in time.' },
  AGENT_TOOL_IN_USE: {
    status: 409,
    message: 'Agents hold the tool; details.agents names them. Take it off them first, or set is_active to false.',
  },
  TEMPLATE_ALREADY_EXISTS: {
    status: 409,
    message: 'The channel has a template of this name in this language; details.template_id names it. Edit that one.',
  },
  APPOINTMENT_NOT_OPEN: {
    status: 409,
    message: 'The appointment has ended; details.status says how. Only pending and confirmed ones can be changed so.',
  },
  APPOINTMENT_NOT_PENDING: {
    status: 409,
    message: 'Only a pending appointment can be confirmed; details.status says what this one is.',
  },
  APPOINTMENT_SLOT_TAKEN: {
    status: 409,
    message: 'The assignee has another pending or confirmed appointment at this time; choose another time or assignee.',
  },
  BLOCK_CONTENT_NOT_WRITABLE: {
    status: 409,
    message: 'The content of blocks of this type is managed by the operator; it can be read and attached, not saved.',
  },
  BROADCAST_FINISHED: {
    status: 409,
    message: 'Every message of the broadcast was answered by the provider: nothing is left to cancel.',
  },
  BULK_ACTIONS_RUNNING: {
    status: 409,
    message: 'The project has details.running bulk actions under way; wait until one has ended, or cancel one.',
  },
  BULK_ACTION_COUNT_CHANGED: {
    status: 409,
    message: 'Now details.total tickets match, and not expected_count; look at the list again.',
  },
  CHANNEL_ALREADY_EXISTS: { status: 409, message: 'There is already a channel for this account of the provider.' },
  CUSTOM_FIELD_ALREADY_EXISTS: {
    status: 409,
    message: 'The company has a custom field with this key for this kind of record.',
  },
  EVENT_EXPIRED: {
    status: 409,
    message: 'The event of this delivery was deleted (its retention time is over), so it cannot be sent again.',
  },
  EVENT_KEY_REUSED: {
    status: 409,
    code: 'IDEMPOTENCY_KEY_REUSED',
    message: 'Another project of the company has used this idempotency_key; use a new key for each new event.',
  },
  CONTACT_MERGE_FINAL: {
    status: 409,
    message: 'The merge can be undone no more; details.undo_until says when that ended.',
  },
  CONTACT_MERGE_RUNNING: {
    status: 409,
    message: 'Records of one of these contacts are being moved by details.merge_id; ask again when it has ended.',
  },
  CONTACTS_ALREADY_MERGED: {
    status: 409,
    message: 'Both ids are those of one contact, which details.contact_id names.',
  },
  EVENT_TYPE_ALREADY_EXISTS: { status: 409, message: 'The company has an event type with this key.' },
  FLOW_ALREADY_PUBLISHED: {
    status: 409,
    message: 'The Flow was published before; that cannot be done again or undone.',
  },
  HISTORY_ALREADY_REQUESTED: {
    status: 409,
    message:
      'The history was asked for before (details.requested_at). Providers give it once for each pairing of the phone.',
  },
  OPERATOR_KEY_ALREADY_EXISTS: { status: 409, message: 'An operator key in use has this name.' },
  IDEMPOTENCY_ANSWER_ERASED: {
    status: 409,
    message:
      'The request with this Idempotency-Key was executed, and its answer was erased with the data of a person. It is not executed again.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    message: 'A request with this Idempotency-Key is still being worked on; ask again after a moment for its answer.',
  },
  IN_USE: { status: 409, message: 'The record still has others that belong to it.' },
  LAST_STAGE: { status: 409, message: 'A pipeline has at least one stage; delete the pipeline instead.' },
  MARKETING_CAP_REACHED: {
    status: 409,
    message:
      'The project has spent or reserved its monthly_marketing_cap; marketing goes on at details.resumes_at, or once the cap is raised.',
  },
  MEMBERSHIP_ALREADY_EXISTS: {
    status: 409,
    message: 'The customer is a member of this program; details.membership_id names the membership.',
  },
  PIPELINE_IS_DEFAULT: {
    status: 409,
    message: 'Tickets are opened in the default pipeline of the project; make another one the default first.',
  },
  SERIAL_NUMBER_ALREADY_EXISTS: { status: 409, message: 'The project has a membership with this serial_number.' },
  SHORTCUT_ALREADY_EXISTS: {
    status: 409,
    message: 'There is already a canned response with this shortcut; details.canned_response_id names it.',
  },
  SYSTEM_EVENT_TYPE: { status: 409, message: 'Event types of the system come with the company and stay.' },
  TEST_SET_ALREADY_EXISTS: {
    status: 409,
    message: 'The assistant has another test set with this name; details.test_set_id names it.',
  },
  TAG_ALREADY_EXISTS: { status: 409, message: 'The project has a tag with this name.' },
  EXTERNAL_ID_TAKEN: {
    status: 409,
    message: 'Another record has this external_id; details.id names it.',
  },
  TICKET_ALREADY_OPEN: {
    status: 409,
    message: 'The contact has another open ticket; details.ticket_id names it. Close that one first.',
  },
  MESSAGE_NOT_SENT_YET: {
    status: 409,
    message:
      'The message with this message_id is still queued, and can be referred to once it is sent; repeat the request then.',
  },
  MESSAGE_NOT_FAILED: {
    status: 409,
    message: 'Only a message that failed, or whose outcome is unknown, can be sent again.',
  },
  SCHEDULED_MESSAGE_OVER: { status: 409, message: 'The message was sent or cancelled; it cannot be changed any more.' },
  SCHEDULED_MESSAGES_FULL: {
    status: 409,
    message: 'There are details.most scheduled messages, as many as a details.of may have; delete some first.',
  },
  TICKET_CLOSED: { status: 409, message: 'The ticket is closed; reopen it first.' },
  TOKEN_REVOKED: { status: 409, message: 'The token was revoked and cannot be changed.' },
  USER_HAS_PASSWORD: {
    status: 409,
    message: 'The user has a password and signs in with it; only users without one are invited.',
  },
  USER_ALREADY_EXISTS: { status: 409, message: 'There is already a user with this e-mail address.' },
  WEBHOOK_INACTIVE: {
    status: 409,
    message: 'The subscription is switched off and gets nothing; set is_active to true first.',
  },
  WEBHOOK_POLLED: {
    status: 409,
    message:
      'Events of this subscription are fetched, not sent: nothing can be sent again, and it has no settings of requests. Poll with since to get events again.',
  },
  WEBHOOK_PUSHED: {
    status: 409,
    message: 'Events of this subscription are sent to its url. Create one with mode poll to fetch events.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The record has changed since the state named in If-Match; read it again.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is larger than this operation takes.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as application/json in UTF-8, without compression.' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The file is shorter than the range that was asked for.' },
  AGENT_TOOL_ARGUMENTS_INVALID: {
    status: 422,
    message: 'The arguments do not fit the parameters of the tool; details.violations says what to change.',
  },
  AGENT_TOOL_NOT_FOUND: { status: 422, message: 'The project has no agent tool with this id.' },
  AGENT_TOOL_PARAMETERS_UNUSABLE: {
    status: 422,
    message: 'The parameters of the tool cannot be applied; details.reason says why. Change them first.',
  },
  BULK_ACTION_TOO_LARGE: {
    status: 422,
    message: 'More than details.most tickets match; narrow the filter.',
  },
  AGENT_NOT_FOUND: {
    status: 422,
    message: 'The company has no active agents with these ids; details.user_ids names them.',
  },
  ASSIGNEE_NOT_FOUND: { status: 422, message: 'The company has no active user with this id.' },
  ASSISTANT_NOT_FOUND: {
    status: 422,
    message:
      'The project has no active assistant with this id; without one, name the assistant that shall answer in assistant_id.',
  },
  ASSISTANT_LIMIT_REACHED: {
    status: 422,
    message: 'The project has as many active assistants as it can have; switch one off with is_active false.',
  },
  BALANCE_LIMIT_REACHED: {
    status: 422,
    message: 'The balance would be larger than a membership can have; details.limit is the maximum.',
  },
  BLOCK_LIMIT_REACHED: {
    status: 422,
    message: 'There are as many blocks here as there can be; details.limit says how many. Archive or detach one.',
  },
  TEST_SET_NOT_FOUND: { status: 422, message: 'The project has no test set with this test_set_id.' },
  BLOCK_NOT_FOUND: { status: 422, message: 'The project has no block with this block_id.' },
  CANNED_RESPONSE_LIMIT_REACHED: {
    status: 422,
    message: 'There are as many canned responses as there can be (details.limit); delete one first.',
  },
  CHANNEL_NOT_CONNECTED: {
    status: 422,
    message: 'The channel in details is inactive, or the project has no active channel of this type.',
  },
  CHANNEL_NOT_FOUND: { status: 422, message: 'The project has no channel of this type with this id.' },
  CHANNEL_REQUIRED: {
    status: 422,
    message: 'The project has several active channels of this type; name one in channel_id.',
  },
  COMPANY_NOT_FOUND: { status: 422, message: 'There is no company with this company_id.' },
  CUSTOMER_NOT_FOUND: { status: 422, message: 'The company has no customer with this id.' },
  DEPLOYMENT_LIMIT_REACHED: {
    status: 422,
    message:
      'The assistants of the project have as many deployments as there can be (details.limit); remove some first.',
  },
  EVENT_TYPE_NOT_FOUND: {
    status: 422,
    message: 'The company has no such event type; send the whole key, with its prefix.',
  },
  FLOW_INVALID: { status: 422, message: 'The Flow cannot be published; details say what the provider found wrong.' },
  FLOW_NOT_REGISTERED: {
    status: 422,
    message: "The project has no Flow with this flow_id; use the id of a Flow of this API, or the provider's.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: 'This Idempotency-Key was used for a different request; use a new key for each new request.',
  },
  INSUFFICIENT_BALANCE: {
    status: 422,
    message: 'The membership has less than that; details.balance is what it has.',
  },
  INVALID_FIELD_VALUE: {
    status: 422,
    message: 'Values of the event are not of the type of their field; details.fields names them.',
  },
  KNOWLEDGE_FILE_GONE: {
    status: 409,
    message: 'The uploaded file of this document is not stored any more; upload it again.',
  },
  KNOWLEDGE_FOLDER_FULL: { status: 422, message: 'The folder has as many nodes as it can take; use another one.' },
  KNOWLEDGE_NODE_BELOW_ITSELF: { status: 422, message: 'A folder cannot be moved into itself or a folder below it.' },
  KNOWLEDGE_NODE_NOT_DOCUMENT: {
    status: 422,
    message: 'The node is a folder; only documents have a content, a source_url and a language.',
  },
  KNOWLEDGE_NODE_NOT_FOUND: { status: 422, message: 'The project has no knowledge node with this id.' },
  KNOWLEDGE_NOT_IMPORTED: { status: 409, message: 'The document was not imported from a file or an address.' },
  KNOWLEDGE_PARENT_NOT_FOLDER: { status: 422, message: 'The parent_id is that of a document; name a folder.' },
  KNOWLEDGE_PARENT_NOT_FOUND: { status: 422, message: 'The project has no folder with this parent_id.' },
  KNOWLEDGE_TOO_DEEP: { status: 422, message: 'The tree would have more levels than it can have.' },
  KNOWLEDGE_TREE_FULL: { status: 422, message: 'The project has as many nodes of this type as it can have.' },
  LOCAL_TIME_AMBIGUOUS: {
    status: 422,
    message: 'Clocks show this local time twice; send it with an offset, as details.choices has it.',
  },
  LOCAL_TIME_MISSING: {
    status: 422,
    message: 'Clocks skip this local time; send another one, such as those in details.nearest.',
  },
  MEDIA_LIMIT_REACHED: {
    status: 422,
    message: 'The project has as many files, or bytes of files, as it can have (details); delete some first.',
  },
  MEDIA_NOT_ACCEPTED: { status: 422, message: 'The file is of a type or size that cannot be sent there.' },
  MEDIA_NOT_FOUND: {
    status: 422,
    message: 'There is no file with this media_id on this channel, or its time is over.',
  },
  MESSAGE_NOT_FOUND: { status: 422, message: 'There is no message with this message_id on this channel.' },
  MESSAGE_NOT_ACCEPTED_BY_CHANNEL: {
    status: 422,
    message: 'The channel carries this type, but not this message; details.path says what to change.',
  },
  MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL: {
    status: 422,
    message: 'This channel does not carry messages of this type.',
  },
  MISSING_REQUIRED_FIELDS: {
    status: 422,
    message: 'The event lacks fields that its type requires; details.fields names them.',
  },
  RECORD_ERASED: {
    status: 422,
    message: 'The data of this contact or ticket was erased; nothing is stored about it any more.',
  },
  CONTACT_MERGE_TOO_LARGE: {
    status: 422,
    message: 'A contact can have been as many contacts as details.most says.',
  },
  CONTACTS_OF_DIFFERENT_CHANNELS: {
    status: 422,
    message:
      'A contact is a person on one channel. Link contacts of different channels to one customer instead of merging them.',
  },
  CONTACTS_OF_DIFFERENT_CUSTOMERS: {
    status: 422,
    message:
      'The contacts belong to different customers, which details.customer_ids names; link both to the same one first.',
  },
  NO_CONTACT: { status: 422, message: 'There is no such contact in this project; create it first.' },
  OPERATION_NOT_SUPPORTED_FOR_CHANNEL: { status: 422, message: 'This channel does not offer this operation.' },
  PROGRAM_INACTIVE: {
    status: 422,
    message: 'The loyalty program is switched off: it takes no members, and nothing can be earned.',
  },
  PROGRAM_LIMIT_REACHED: { status: 422, message: 'The project has as many loyalty programs as it can have.' },
  PROGRAM_NOT_FOUND: { status: 422, message: 'The project has no loyalty program with this program_id.' },
  PROVIDER_REFUSED: { status: 422, message: 'The provider refused this; details.provider says why.' },
  PROJECT_NOT_FOUND: { status: 422, message: 'There is no project with this project_id.' },
  STAGE_NOT_FOUND: { status: 422, message: 'The project has no stage with this stage_id.' },
  STAGE_REQUIREMENTS_NOT_MET: {
    status: 422,
    message: 'The stage requires fields that the ticket does not have; details.fields names them.',
  },
  TAG_NOT_FOUND: { status: 422, message: 'The project has no tag with this id.' },
  TEMPLATE_FLOW_BUTTON_MISSING: {
    status: 422,
    message: 'The template has no FLOW button to bind a Flow to; details.flow_buttons lists those it has.',
  },
  TEMPLATE_NOT_FOUND: { status: 422, message: 'The channel has no template of this name in this language.' },
  TICKET_NOT_FOUND: { status: 422, message: 'There is no ticket with this ticket_id in this project.' },
  TICKET_NOT_OPEN: { status: 422, message: 'The ticket with this ticket_id is closed; reopen it first.' },
  TEMPLATE_VARIABLE_INVALID: {
    status: 422,
    message:
      'A variable of the template has a line break, a tab, more than four spaces in a row, or no character at all.',
  },
  TEMPLATE_VARIABLE_MISSING: { status: 422, message: 'The template needs variables that were not given.' },
  TOO_MANY_AGENT_TOOLS: {
    status: 422,
    message: 'The project has as many agent tools as it may have; delete one first.',
  },
  USER_INACTIVE: { status: 422, message: 'The user is deactivated.' },
  USER_LACKS_PERMISSION: { status: 422, message: 'The user lacks the permission that this needs.' },
  USER_NOT_FOUND: { status: 422, message: 'There is no user with this user_id.' },
  USER_NOT_IN_COMPANY: { status: 422, message: 'The user belongs to another company.' },
  TEST_RUN_LIMIT_REACHED: {
    status: 422,
    message: 'The project has as many runs of test sets under way and queued as it can have (details.limit).',
  },
  NOTHING_TO_TEST: { status: 422, message: 'The conversation of this ticket has no message of the person.' },
  TEST_CASE_LIMIT_REACHED: {
    status: 422,
    message: 'The test set would have more cases (details.limit), or more bytes, than it can have.',
  },
  TEST_SET_LIMIT_REACHED: {
    status: 422,
    message: 'The project has as many test sets as it can have (details.limit); delete one first.',
  },
  VIEW_LIMIT_REACHED: {
    status: 422,
    message: 'There are as many saved views as there can be (details.limit); delete one first.',
  },
  WEBHOOK_LIMIT_REACHED: {
    status: 422,
    message: 'The project has as many webhooks as it can have (details.limit); delete one first.',
  },
  INVITATION_THROTTLED: {
    status: 429,
    message: 'The user was invited just now; details.retry_after says in how many seconds there may be another.',
  },
  SIGN_IN_THROTTLED: {
    status: 429,
    message: 'Too many tries to sign in; details.retry_after says in how many seconds there may be another.',
  },
  THROTTLED: { status: 429, message: 'The rate limit of the project is exceeded.' },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    message: 'Something went wrong on our side; quote the X-Request-Id of this answer when you report it.',
  },
  ASSISTANTS_UPSTREAM_ERROR: {
    status: 502,
    message: 'The assistant service did not confirm the change, so nothing was stored; retry after a moment.',
  },
  PROVIDER_UPSTREAM_ERROR: {
    status: 502,
    message: 'The provider did not answer or cannot work now; retry after a moment.',
  },
  WHATSAPP_UPSTREAM_ERROR: {
    status: 502,
    message: 'WhatsApp did not answer or cannot work now; retry after a moment.',
  },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service cannot take this request now; retry after a moment.' },
} as const satisfies Record<string, { status: number; code?: string; message: string }>

export type ErrorCode = keyof typeof errorCatalogue

/** The code that clients see. */
export function publicCode(code: ErrorCode): string {
  const entry = errorCatalogue[code]
  return 'code' in entry ? entry.code : code
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code)
}
