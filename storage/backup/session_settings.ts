/**
 * Settings of a session that copies rows: no limits of requests, and values in a form that every server and every locale
 * reads in the same way.
 */
import { sql } from '../sql/sql.ts'

export const SESSION = sql`set client_min_messages = warning; select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout',
    'transaction_timeout');
  set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set bytea_output = 'hex';
  set extra_float_digits = 1; select 1`
