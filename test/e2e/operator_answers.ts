/** Answers of the operator API, as the tests of the CRM hold them against what they expect. */
import type { Answer, Json } from './client.ts'

export const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]

/** The path and code of each violation, sorted; the status when it is not 400. */
export const violationsOf = ({ status, body }: Answer) =>
  status === 400 ? body.error.details.violations.map(({ path, code }: Json) => `${path} ${code}`).sort() : status

/** The one stage of a pipeline, with these rules. */
export const ruled = (rules: Json, fields: Json = {}) => ({ stages: [{ name: 'New', rules, ...fields }] })
