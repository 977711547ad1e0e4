/** The reasons of a refusal by the field of the form that they are about. No DOM. */

/** Keys are such as `name`, `0.name`, `0.1.user`: the place of the case, of the step, and the field. */
export type SetFaults = Record<string, string>

export function faultsOf(fault: unknown): SetFaults {
  const details = (fault as { details?: { violations?: { path: string; message: string }[] } } | null)?.details
  const found: SetFaults = {}
  for (const { path, message } of details?.violations ?? []) found[keyOf(path)] ??= `It ${message}.`
  return found
}

/** `cases[0].steps[1].expect.includes[0]` is about `0.1.includes`. */
function keyOf(path: string) {
  const [first = '', at = '', field = '', step = '', ...rest] = path.split(/[.[\]]/).filter(Boolean)
  if (first !== 'cases' || at === '') return first
  if (field !== 'steps') return `${at}.${field || 'name'}`
  const name = rest[0] === 'expect' ? rest[1] : rest[0]
  return `${at}.${step}.${name ?? 'user'}`
}
