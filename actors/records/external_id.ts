import * as v from 'valibot'
import { line } from '../schema/mod.ts'

/** The id of a record in the client's own system. */
export const externalId = v.pipe(line(255), v.description("Id of the record in the client's own system"))
