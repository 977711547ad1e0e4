import type { Route } from '../route/route.ts'

/** Lower-cases the ids among the path parameters, as they are stored. A pattern that ignores case is that of an id. */
export function lowerPathIds(params: Record<string, string>, patterns: Route['params']): Record<string, string> {
  let lowered = params
  for (const name in patterns) {
    const text = params[name]
    if (text === undefined || !patterns[name]!.ignoreCase || text === text.toLowerCase()) continue
    lowered = { ...lowered, [name]: text.toLowerCase() }
  }
  return lowered
}
