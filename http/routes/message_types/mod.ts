/** The `message` of a send: one schema for each of the sixteen types. */
import * as v from 'valibot'
import { named } from '../../../actors/mod.ts'
import { interactiveTypes } from './interactive.ts'
import { mediaTypes } from './media.ts'
import { plainTypes } from './plain.ts'
import { templateType } from './template.ts'

export const message = named(
  'MessageContent',
  v.variant('type', [...plainTypes, ...mediaTypes, templateType, ...interactiveTypes]),
)
