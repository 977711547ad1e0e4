/** Fields of canned responses, as agents and operators send them. */
import * as v from 'valibot'
import { maxCharacters } from '../server/schema/length.ts'
import { line, shortName } from '../server/schema/line.ts'

const LONGEST_SHORTCUT = 50
const LONGEST_TITLE = 100
const LONGEST_TEXT = 4096

export const cannedResponseFields = {
  shortcut: shortName(LONGEST_SHORTCUT),
  content: v.pipe(
    v.string(),
    maxCharacters(LONGEST_TEXT),
    v.check((text) => text.trim() !== '', 'must not be empty'),
  ),
  title: v.nullable(line(LONGEST_TITLE)),
}
