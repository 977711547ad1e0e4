import { buildIndex, type Migration } from './step.ts'

const byName = (table: string, name = 'name') =>
  buildIndex(`${table}_names`, `"${table}" using gin (search_fold(${name}) gin_trgm_ops)`)

/**
 * Operators find records of all tenants by a part of their names. Parts of a text are separated by a character that no search
 * can contain.
 */
export const recordNames: Migration = {
  name: '0065_record_names',
  steps: [
    byName('company'),
    byName('project'),
    byName('user', `full_name || E'\\x01' || email`),
    byName('token'),
    byName('channel'),
    byName('tag'),
    buildIndex('channel_of_type', 'channel (channel_type, _id desc)'),
  ],
}
