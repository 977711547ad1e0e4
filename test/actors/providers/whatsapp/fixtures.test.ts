import t from 'tap'
import { WhatsApp } from '../../../../actors/providers/whatsapp/mod.ts'
import { examplesOf, reader } from '../examples.ts'
import { signMeta } from '../page_accounts.ts'

const whatsapp = new WhatsApp()
t.teardown(() => whatsapp.close())
const business_account_id = '102290129340398'
const read = reader(whatsapp, { app_secret: 'a-secret-of-the-app', business_account_id }, signMeta)

const account = '106540352242922'
const user_id = '16505551234'
const bsuid = 'US.13491208655302741918'
const new_bsuid = 'US.99999999999999999999'
const about = { kind: 'message', account, user_id, bsuid: null, name: 'Sheena Nelson', context: null }
const quoted = { message_id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI0quoted==' }
const reacted = 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI0reacted=='
const said = (message: { type: string; [field: string]: unknown }, rest = {}) => [
  { ...about, type: message.type, message, ...rest },
]
const replied = (interactive_type: string, fields: object) =>
  said({ type: 'interactive', interactive_type, ...fields }, { context: quoted })
const system = { type: 'system' }
const errors = [{ code: 131051, error_data: { details: 'Message type is currently not supported.' } }]
const referral = { source_type: 'ad', source_id: '120226305854810726', ctwa_clid: /^Aff-/, headline: 'Chat with us' }

const MESSAGES: Record<string, object[]> = {
  text: said({ type: 'text', body: 'Is it there in another colour?' }),
  image: said({ type: 'image', media_id: '1003383421387256', mime_type: 'image/jpeg', caption: 'This one' }),
  video: said({ type: 'video', media_id: '2147483647001', caption: 'How it runs' }),
  audio: said({ type: 'audio', media_id: '1908647269898587', voice: false }),
  'voice note': said({ type: 'audio', mime_type: 'audio/ogg; codecs=opus', voice: true }),
  document: said({ type: 'document', media_id: '2441342302713560', filename: 'invoice.pdf', caption: 'The invoice' }),
  sticker: said({ type: 'sticker', media_id: '1031382805463741', animated: false }),
  'animated sticker': said({ type: 'sticker', media_id: '1031382805463742', animated: true }),
  location: said({ type: 'location', latitude: 37.48, longitude: -122.148 }),
  'location of a place': said({ type: 'location', name: 'Solomon R. Guggenheim Museum', address: /5th Ave/ }),
  contacts: said({
    type: 'contacts',
    contacts: [
      { name: { formatted_name: 'Barbara J. Johnson' }, org: { company: 'Social Tsunami' } },
      { name: { formatted_name: 'Luis' }, phones: [{ phone: '+1 (415) 555-0830' }] },
    ],
  }),
  reaction: said({ type: 'reaction', message_id: reacted, emoji: '👍' }),
  'reaction removed': said({ type: 'reaction', message_id: reacted, emoji: '' }),
  'reaction removed with an empty emoji': said({ type: 'reaction', message_id: reacted, emoji: '' }),
  'button of a template': said({ type: 'button', payload: 'Unsubscribe', text: 'Unsubscribe' }, { context: quoted }),
  'reply button': replied('button_reply', { button_reply: { id: 'cancel-button', title: 'Cancel' } }),
  'row of a list': replied('list_reply', { list_reply: { id: 'priority_express', description: 'Next day to 2 days' } }),
  'answers of a Flow': replied('nfm_reply', { nfm_reply: { name: 'flow', response_json: /"flow_token":"AQAAAAAC/ } }),
  'answers of a Flow without a token': replied('nfm_reply', { nfm_reply: { response_json: '{"cs_rating":"0"}' } }),
  order: said({
    type: 'order',
    catalog_id: '194836987003835',
    text: 'Love these!',
    product_items: [
      { product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30, currency: 'USD' },
      { product_retailer_id: 'nqryix03ez', quantity: 1, item_price: 25.5, currency: 'USD' },
    ],
  }),
  'number changed': said(
    { ...system, system_type: 'user_changed_number', wa_id: '12195555358' },
    { name: null, becomes: { user_id: '12195555358', bsuid: null }, value: { contacts: [] } },
  ),
  'number and user id changed': said(
    { ...system, system_type: 'user_changed_number', user_id: new_bsuid },
    { name: null, bsuid, becomes: { user_id: '12195555358', bsuid: new_bsuid } },
  ),
  'user id changed': said(
    { ...system, system_type: 'user_changed_user_id', user_id: new_bsuid },
    { name: null, user_id: null, bsuid, becomes: { user_id: null, bsuid: new_bsuid } },
  ),
  'identity changed': said({ ...system, system_type: 'customer_identity_changed' }, { becomes: undefined }),
  unsupported: said({ type: 'unsupported', errors }),
  'unsupported of a known type': said({ type: 'unsupported', unsupported_type: 'poll', errors }),
  'errors beside a message without content': said(
    { type: 'interactive', errors: [{ code: 131000 }] },
    { context: quoted, value: { errors: undefined, messages: [{ errors: [{ code: 131000 }] }] } },
  ),
  'welcome requested': said({ type: 'request_welcome' }),
  reply: said({ type: 'text', body: 'That one' }, { context: quoted }),
  forwarded: said({ type: 'text', body: 'Look', forwarded: true }),
  'forwarded often': said({ type: 'text', frequently_forwarded: true }),
  'question about a product': said(
    {
      type: 'text',
      body: 'Is it waterproof?',
      referred_product: { catalog_id: '194836987003835', product_retailer_id: 'di9ozbzfi4' },
    },
    { context: quoted },
  ),
  'from an ad': said({ type: 'text', body: 'Tell me more', referral }),
  'image from an ad': said({ type: 'image', media_id: '1003383421387257', referral }),
  'text edited': said({ type: 'edit', original_message_id: reacted, message: { type: 'text', body: 'The blue one' } }),
  'caption edited': said({
    type: 'edit',
    message: { type: 'image', media_id: '1003383421387258', id: undefined, caption: 'That one' },
  }),
  'message deleted': said({ type: 'revoke', original_message_id: reacted }),
  'in a group': said({ type: 'text', group_id: /^Y2Fw/ }),
  'username and number': said({ type: 'text', body: 'Hi' }, { name: 'Pablo M.', bsuid }),
  'username without a number': said({ type: 'text' }, { name: 'Pablo M.', user_id: null, bsuid }),
  'username without a name': said(
    { type: 'text' },
    { name: '@nameless', user_id: null, bsuid: 'US.24681357902468135790' },
  ),
  'number that is not the user id': said(
    { type: 'text' },
    { name: 'Bia', user_id: '5511987654321', value: { contacts: [{ wa_id: '551187654321' }] } },
  ),
  'numbers without quotes': said(
    { type: 'text', body: 'Numbers' },
    { value: { metadata: { phone_number_id: account }, messages: [{ from: user_id, timestamp: /^\d{10}$/ }] } },
  ),
  'several messages': [
    ...said({ type: 'text', body: 'First' }),
    ...said({ type: 'text', body: 'Second' }, { name: 'Bob', user_id: '16505555678' }),
    ...said({ type: 'image', media_id: '1003383421387259' }),
  ],
  'several changes, entries and numbers': [
    ...said({ type: 'text', body: 'To the first number' }),
    ...said({ type: 'text', body: 'To the second number' }, { account: '106540352249999' }),
    ...said({ type: 'text', body: 'In another entry' }, { name: 'Bob', user_id: '16505555678' }),
  ],
}

const provider_message_id = 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI0status=='
const at = new Date(1_750_030_073_000)
const told = (status: string, fields = {}) => [
  { kind: 'status', account, provider_message_id, status, at, error: null, opaque: null, ...fields },
]
const pricing = { category: 'marketing', pricing_model: 'PMP' }

const STATUSES: Record<string, object[]> = {
  sent: told('sent', {
    raw: { conversation: { expiration_timestamp: '1750116480' }, pricing: { category: 'service' } },
  }),
  'sent with our data': told('sent', { opaque: 'msg_66f2a0c1d4e5f60718293a4d' }),
  delivered: told('delivered'),
  read: told('read', { raw: { status: 'read', pricing } }),
  played: told('read', { raw: { status: 'played' } }),
  failed: told('failed', { error: { code: '131049', message: /not delivered to maintain .*: In order to maintain/ } }),
  'failed with conversation and pricing': told('failed', {
    error: { code: '131026', message: 'Message Undeliverable.' },
  }),
  'delivered to a person with a username': told('delivered', { raw: { recipient_user_id: bsuid, pricing } }),
  'delivered to a person without a number': told('delivered', { raw: { recipient_user_id: bsuid } }),
  'numbers without quotes': told('read', {
    provider_message_id: '15550783881',
    raw: { id: '15550783881', recipient_id: user_id, timestamp: '1750030073' },
  }),
  several: [
    ...told('sent'),
    ...told('delivered'),
    ...told('read', { provider_message_id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI0second==' }),
  ],
  'beside a message': [...said({ type: 'text', body: 'Thanks' }), ...told('delivered')],
  unknown: [1, 2].map(() => ({ kind: 'ignored', account, name: /^statuses/ })),
}

const template = { kind: 'template', account: null, name: 'order_confirmation', language: 'en_US' }
const flow = { kind: 'flow', account: null, provider_flow_id: '6627390910605886', event: 'FLOW_STATUS_CHANGE' }
const cut_off = (reason: RegExp) => [{ kind: 'account', account: null, status: 'disconnected', reason }]
const back = [{ kind: 'account', account: null, status: 'connected', reason: null }]

/** The next pairing of the phone has a history of its own. */
const unpaired = { kind: 'history', account: null, ends_pairing: true, parts: [] }

const ACCOUNTS: Record<string, object[]> = {
  'template approved': [{ ...template, status: 'APPROVED' }],
  'template rejected': [{ ...template, language: 'en', status: 'REJECTED', value: { reason: 'INVALID_FORMAT' } }],
  'template paused': [{ ...template, status: 'PAUSED' }],
  'template of another account': [{ kind: 'ignored', what: 'account', name: /^\d+$/ }],
  'Flow created': [{ ...flow, status: 'DRAFT' }],
  'Flow published': [{ ...flow, status: 'PUBLISHED' }],
  'Flow with errors': [{ ...flow, event: 'CLIENT_ERROR_RATE', status: null }],
  'account deleted': [...cut_off(/ACCOUNT_DELETED/), unpaired],
  'account offboarded': [...cut_off(/ACCOUNT_OFFBOARDED/), unpaired],
  'account reconnected': back,
  'account banned': cut_off(/DISABLED_UPDATE: DISABLE/),
  'account reinstated': back,
  'account restricted': [{ kind: 'ignored', what: 'field', name: 'account_update.ACCOUNT_RESTRICTION' }],
  'partner removed': [...cut_off(/PARTNER_REMOVED/), unpaired],
  'partner of another account removed': [{ kind: 'ignored', what: 'account', name: /^\d+$/ }],
  'quality of a number': [{ kind: 'ignored', what: 'field', name: 'phone_number_quality_update' }],
  'errors of the account': [{ kind: 'ignored', what: 'field', name: 'messages.errors' }],
  'marketing refused': [{ kind: 'consent', user_id: '16505551234', marketing: 'stopped' }],
  'sent with the app': [
    {
      kind: 'echo',
      origin: 'phone',
      opaque: null,
      user_id: '16505551234',
      message: { type: 'text' },
      value: { messages: [{ to: '16505551234' }] },
    },
  ],
}

for (const [file, table] of Object.entries({
  whatsapp: MESSAGES,
  whatsapp_statuses: STATUSES,
  whatsapp_accounts: ACCOUNTS,
})) {
  t.test(`the examples of ${file} are read with their meaning`, async (t) => {
    const examples = examplesOf(file)
    t.strictSame([...examples.keys()], Object.keys(table))
    for (const [name, expected] of Object.entries(table)) {
      const items = read(examples.get(name))
      t.equal(items.length, expected.length, name)
      t.match(items, expected, name)
    }
  })
}
