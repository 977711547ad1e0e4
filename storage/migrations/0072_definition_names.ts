import { buildIndex, type Migration } from './step.ts'

const byNames = (table: string, names: string) =>
  buildIndex(`${table}_names`, `${table} using gin (search_fold(${names}) gin_trgm_ops)`)

/** Operators find pipelines, event types, custom fields and canned responses of all tenants by a part of their names. */
export const definitionNames: Migration = {
  name: '0072_definition_names',
  steps: [
    byNames('pipeline', 'name'),
    byNames('event_type', `name || E'\\x01' || key`),
    byNames('custom_field', `name || E'\\x01' || key`),
    byNames('canned_response', `shortcut || E'\\x01' || coalesce(title, '')`),
  ],
}
