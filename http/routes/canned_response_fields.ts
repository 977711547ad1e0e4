/** Fields of canned responses, as agents and operators send them. */
import * as v from 'valibot'
import { line, maxCharacters, shortName } from '../../actors/mod.ts'

const MAX_SHORTCUT_LENGTH = 50
const MAX_TITLE_LENGTH = 100
const MAX_TEXT_LENGTH = 4096

export const cannedResponseFields = {
  shortcut: shortName(MAX_SHORTCUT_LENGTH),
  content: v.pipe(
    v.string(),
    maxCharacters(MAX_TEXT_LENGTH),
    v.check((text) => text.trim() !== '', 'must not be empty'),
  ),
  title: v.nullable(line(MAX_TITLE_LENGTH)),
}
