import * as v from 'valibot'

/** Gives a schema a name under which the API's description and generated clients know it, such as `Ticket`. */
export function named<Schema extends v.GenericSchema>(name: string, schema: Schema) {
  return v.pipe(schema, v.title(name))
}
