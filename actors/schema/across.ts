import * as v from 'valibot'

/** `path`: position in the checked value; the value itself without one. `expected`: as in `validation.ts`. */
type Say = (message: string, path?: readonly (string | number)[], expected?: string) => void

/** Fields of which an object needs one or more, or exactly one, and fields that exclude others. */
export type Presence =
  | { at_least_one_of: readonly string[] }
  | { exactly_one_of: readonly string[] }
  | { excludes: Readonly<Record<string, readonly string[]>> }

/**
 * A check across several fields or items. It runs even when other parts of the value are invalid, so that one answer
 * names everything; it therefore has to skip parts of the wrong type. `presence`: its form in the description, where
 * it is about the presence of fields alone.
 */
export function across<Input>(judge: (value: unknown, say: Say) => void, presence?: Presence) {
  const check = v.rawCheck<Input>(({ dataset, addIssue }) =>
    judge(dataset.value, (message, path = [], expected) =>
      addIssue({ message, ...(path.length > 0 && { path: pathOf(path) }), ...(expected && { expected }) }),
    ),
  )
  return Object.assign(check, { presence })
}

/** The fields of a value that should be an object; none for any other. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** The items of a value that should be a list; none for any other. */
export function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Indices of texts that occur earlier in the list. Items that are not texts are skipped. */
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
