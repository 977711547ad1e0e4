import * as v from 'valibot'

/** Schemas that several routes share. A text continues the name of its field: "limit must be …". */

/** The id of a record without prefix. */
export const recordId = v.pipe(v.string(), v.regex(/^[0-9a-f]{24}$/, 'must be an id of 24 hex digits'))

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp())

/** An object of free keys. Lists are refused, which valibot's own record takes for objects. */
export function dictionary<Value extends v.GenericSchema>(value: Value) {
  const schema = v.record(v.string(), value)
  return {
    ...schema,
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      if (!Array.isArray(dataset.value)) return schema['~run'](dataset, config)
      v._addIssue(schema, 'type', dataset, config)
      return dataset as unknown as ReturnType<(typeof schema)['~run']>
    },
  } as typeof schema
}

/** `limit` of a list: a whole number in a query string. */
export const limit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, 'must be a whole number from 1 to 200'),
    v.transform(Number),
    v.minValue(1),
    v.maxValue(200),
  ),
  '50',
)

/** `cursor` of a list: the `next_cursor` of the page before. */
export function cursor(prefix: 'msg' | 'dlv') {
  return v.optional(
    v.pipe(v.string(), v.regex(idPattern(prefix), `must be the next_cursor of a page, such as ${prefix}_…`)),
  )
}

/** A page of a list that runs from the newest to the oldest. */
export function pageOf<Row extends v.GenericSchema>(row: Row) {
  return v.object({ data: v.array(row), next_cursor: v.nullable(v.string()) })
}

/** The form of an id with its kind in front. */
export function idPattern(prefix: 'msg' | 'dlv' | 'wh' | 'evt'): RegExp {
  return new RegExp(`^${prefix}_[0-9a-f]{24}$`)
}

export const plainIdPattern = /^[0-9a-f]{24}$/
