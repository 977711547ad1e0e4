import * as v from 'valibot'

/** `path`: where in the value that is checked; the value itself without one. `expected`: as in `validation.ts`. */
type Say = (message: string, path?: readonly (string | number)[], expected?: string) => void

/**
 * A check across several fields or items. It is made whatever else is wrong with the value, so that one answer names
 * everything; it therefore has to pass over parts that are not what they should be.
 */
export function across<Input>(judge: (value: unknown, say: Say) => void) {
  return v.rawCheck<Input>(({ dataset, addIssue }) =>
    judge(dataset.value, (message, path = [], expected) =>
      addIssue({ message, ...(path.length > 0 && { path: pathOf(path) }), ...(expected && { expected }) }),
    ),
  )
}

/** The fields of what should be an object; none of anything else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** The items of what should be a list; none of anything else. */
export function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Where a text stands that stands before it too. What is no text is not looked at. */
export function repeated(texts: readonly unknown[]): number[] {
  const seen = new Set<string>()
  return texts.flatMap((text, at) => {
    if (typeof text !== 'string') return []
    if (seen.has(text)) return [at]
    seen.add(text)
    return []
  })
}

function pathOf(keys: readonly (string | number)[]): [v.IssuePathItem, ...v.IssuePathItem[]] {
  return keys.map((key) => ({ type: 'object', origin: 'value', input: {}, key, value: undefined })) as never
}
