/** The body of `POST /v1/contacts`. */
import * as v from 'valibot'
import { channelTypes } from '../../../storage/mod.ts'
import { isAddress } from '../../providers/email/address.ts'
import { maxCharacters, minCharacters, named, recordId } from '../../schema/mod.ts'
import { customFields } from '../custom_fields.ts'
import { contactWritable } from './contact.ts'

const WA_ID = /^[1-9]\d{6,14}$/

const { name, phone, avatar } = contactWritable.entries

export const newContact = named(
  'NewContact',
  v.pipe(
    v.strictObject({
      channel_type: v.picklist(channelTypes),
      user_id: v.pipe(
        v.string(),
        minCharacters(1),
        maxCharacters(256),
        v.check((text) => text === text.trim(), 'must not begin or end with a space'),
        v.description(
          'Id of the person within the channel. whatsapp: the digits of the phone number, without +. email: the address',
        ),
      ),
      channel_id: v.optional(recordId),
      name: v.optional(name.wrapped),
      phone: v.optional(phone.wrapped),
      avatar: v.optional(avatar.wrapped),
      custom_fields: v.optional(customFields),
    }),
    v.forward(
      v.partialCheck(
        [['channel_type'], ['user_id']],
        ({ channel_type, user_id }) => channel_type !== 'whatsapp' || WA_ID.test(user_id),
        'must be the digits of the phone number with its country code on whatsapp, without + and spaces, such as 5215512345678',
      ),
      ['user_id'],
    ),
    v.forward(
      v.partialCheck(
        [['channel_type'], ['user_id']],
        ({ channel_type, user_id }) => channel_type !== 'email' || isAddress(user_id),
        'must be one e-mail address on email, without a name, such as ana@example.com',
      ),
      ['user_id'],
    ),
  ),
)

/** `user_id`: on `whatsapp` the digits of the phone number, without `+`. */
export type NewContact = v.InferOutput<typeof newContact>
