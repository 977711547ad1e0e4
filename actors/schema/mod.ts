/** The vocabulary in which records and requests are described: valibot, with what it lacks. */
export { across, fieldsOf, itemsOf, type Presence, repeated } from './across.ts'
export { isCalendarDay } from './calendar_day.ts'
export { valuesOf } from './columns.ts'
export { composedText } from './composed_text.ts'
export {
  dictionary,
  type InMemory,
  idPattern,
  idWithPrefix,
  jsonTimestamp,
  plainIdPattern,
  recordId,
  timestamp,
} from './fields.ts'
export {
  type AnySchema,
  type Converted,
  convertSchemas,
  type Direction,
  inlineSchema,
  type JsonSchema,
  type PipeItem,
} from './json_schema.ts'
export { maxCharacters, minCharacters } from './length.ts'
export { line, shortName } from './line.ts'
export { named } from './named.ts'
export { ignoringCase } from './pattern.ts'
export { email, phone } from './person.ts'
export { text, writtenText } from './text.ts'
