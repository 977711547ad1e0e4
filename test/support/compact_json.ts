/** JSON without white space but for a line for each property of the outermost objects, so that a change is a line of a diff. */
export function compactJson(value: unknown, levels = 1): string {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const lines = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => `${JSON.stringify(key)}:${compactJson(inner, levels - 1)}`)
  return `{\n${lines.join(',\n')}\n}`
}
