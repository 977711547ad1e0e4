/** The customer as the API shows it, and as operators and agents write it. */
import * as v from 'valibot'
import {
  composedText,
  email,
  type InMemory,
  maxCharacters,
  minCharacters,
  named,
  phone,
  recordId,
  timestamp,
  writtenText,
} from '../../schema/mod.ts'
import { customFields } from '../custom_fields.ts'
import { externalId } from '../external_id.ts'

const MAX_TAGS = 100

const tags = v.pipe(
  v.array(
    v.pipe(v.string('must be a string'), composedText(), v.trim(), minCharacters(1), maxCharacters(100)),
    'must be a list of texts',
  ),
  v.maxLength(MAX_TAGS, `must have at most ${MAX_TAGS} tags`),
  v.transform((list) => [...new Set(list)]),
  v.array(v.string()),
)

const full_name = v.pipe(v.string('must be a string'), composedText(), v.trim(), minCharacters(1), maxCharacters(150))

/** Columns that clients write, within their bounds. `null` clears them. */
const writable = v.strictObject({
  full_name: writtenText(full_name),
  email: v.nullable(writtenText(email)),
  phone: v.nullable(writtenText(phone)),
  external_id: v.nullable(writtenText(externalId)),
  tags,
})

/** Columns that the record shows as they are stored. */
export const customerColumns = v.object({
  _id: recordId,
  ...writable.entries,
  custom_fields: v.record(v.string(), v.unknown()),
  created_at: timestamp,
  updated_at: timestamp,
})

const chatUsers = (whose: string) => v.pipe(v.array(recordId), v.description(whose))

export const customerRecord = named(
  'Customer',
  v.object({
    ...customerColumns.entries,
    chat_users: chatUsers('Contacts of the project that belong to this customer'),
  }),
)

/** The same of operators, who see all projects of all companies. */
export const operatorCustomer = named(
  'OperatorCustomer',
  v.object({
    ...customerColumns.entries,
    company_id: recordId,
    chat_users: chatUsers('Contacts that belong to this customer'),
  }),
)

export type OperatorCustomer = InMemory<v.InferOutput<typeof operatorCustomer>>

/** The body of a PATCH. */
export const changedCustomer = v.partial(v.strictObject({ ...writable.entries, custom_fields: customFields }))

/** The body of a POST, without the company. */
export const newCustomer = v.strictObject({ ...changedCustomer.entries, full_name })
