import { inTransaction, type Migration } from './step.ts'

/** A contact of the web chat has the page from which the visitor wrote last, and the browser. */
export const visitorBrowsers: Migration = {
  name: '0067_visitor_browsers',
  steps: [inTransaction('alter table contact add column browser jsonb')],
}
