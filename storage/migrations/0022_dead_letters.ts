import { inTransaction, type Migration } from './step.ts'

/**
 * Extracts the type of a parked message, by which operators list, replay and drop dead letters. Only a function: it
 * takes no lock on the table, and no insert by an older node can fail because of it.
 *
 * The type is nearly always the first key and is read without parsing the rest. PostgreSQL cannot extract a field of
 * JSON with characters that text cannot hold, such as a NUL or half of a surrogate pair: the type of such a message is
 * null.
 */
export const deadLetters: Migration = {
  name: '0022_dead_letters',
  steps: [
    inTransaction(
      `
      create function dead_letter_type(message json) returns text
      language plpgsql immutable cost 1000 as $$
      declare found text := substring(message::text from '^\\s*\\{\\s*"type"\\s*:\\s*"([A-Za-z0-9_.-]+)"');
      begin
        if found is not null then return found; end if;
        return message ->> 'type';
      exception when others then
        return null;
      end $$`,
    ),
  ],
}
