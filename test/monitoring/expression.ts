/** The metrics and labels that an expression of PromQL asks for. */

const WORDS =
  /\b(?:sum|max|min|count|avg|by|without|on|ignoring|rate|increase|changes|absent|vector|histogram_quantile|clamp_min|topk|or|and|unless|bool)\b/g

/** Names of metrics; those of a histogram without `_bucket`, `_sum` and `_count`. */
export function metricsIn(expr: string): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(WORDS, '')
  const names = bare.match(/[a-z_][a-z0-9_]*/g) ?? []
  return [
    ...new Set(
      names.map((name) =>
        name.replace(/_seconds_(?:bucket|sum|count)$|(?<=_usage)_(?:bucket|sum|count)$/, (end) =>
          end.startsWith('_seconds') ? '_seconds' : '',
        ),
      ),
    ),
  ]
}

export function labelsIn(expr: string): string[] {
  const selected = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) =>
    [...inside!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  )
  const grouped = [...expr.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, inside]) =>
    inside!.split(',').map((label) => label.trim()),
  )
  return [...new Set([...selected, ...grouped])].filter(Boolean)
}
