/** `template`: a message that the provider has approved, with its values. */
import * as v from 'valibot'
import { dictionary } from '../../../actors/mod.ts'
import { text } from './bounds.ts'

/** Language codes as Meta writes them: `en`, `pt_BR`, `zh_Hans`. */
export const languageCode = v.pipe(
  v.string(),
  v.regex(/^[a-z]{2,3}(?:_[A-Za-z]{2,4})?$/, 'must be a language code such as en or en_US'),
)

export const templateName = text(512)

export const templateType = v.strictObject({
  type: v.literal('template'),
  name: templateName,
  language: languageCode,
  variables: v.optional(
    v.pipe(dictionary(text(4096)), v.description('Values for the placeholders of the template, by their names')),
  ),
  flow: v.optional(
    v.strictObject({
      flow_token: text(512),
      button_index: v.optional(v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0), v.maxValue(9))),
      flow_action_data: v.optional(dictionary(v.unknown())),
    }),
  ),
})
