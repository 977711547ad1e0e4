/** Helpers that turn answers of the operator API into the form the CRM tests compare. */
import type { Answer, Json } from './client.ts'

export const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]

/** Returns the path and code of each violation, sorted, or the status when it is not 400. */
export const violationsOf = ({ status, body }: Answer) =>
  status === 400 ? body.error.details.violations.map(({ path, code }: Json) => `${path} ${code}`).sort() : status

/** Returns a pipeline with one stage, which has these rules. */
export const ruled = (rules: Json, fields: Json = {}) => ({ stages: [{ name: 'New', rules, ...fields }] })
