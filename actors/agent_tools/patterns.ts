/** Compiles the patterns of a schema. Runs in a thread: what tenants write is not compiled where requests are answered. */
import { RE2JS } from 're2js'

export type PatternsQuestion = { patterns: string[] }

/** Positions of the patterns that are not regular expressions in linear time. */
export type PatternsVerdict = { not_linear: number[] }

export function checkPatterns({ patterns }: PatternsQuestion): PatternsVerdict {
  return { not_linear: patterns.flatMap((pattern, at) => (isLinear(pattern) ? [] : [at])) }
}

function isLinear(pattern: string): boolean {
  try {
    RE2JS.compile(pattern)
    return true
  } catch {
    return false
  }
}
