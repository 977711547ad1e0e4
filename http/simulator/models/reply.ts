/** The reaction of the simulated model to one question. */
export type Reply = {
  /** Null: none. */
  text: string | null
  tool_calls: { name: string; arguments: string }[]
  fault: Fault | null
  /** Milliseconds before the answer begins. */
  delay_ms: number
  /** Milliseconds between two pieces of a streamed answer. */
  piece_ms: number
  /** Undefined: counted. */
  usage?: { prompt_tokens: number; completion_tokens: number } | null
}

/** Faults by the words that ask for them. Statuses stand beside them, with the seconds of Retry-After. */
export type Fault =
  | { kind: 'status'; status: number; retry_after?: number }
  | { kind: 'cut' | 'hang' | 'broken' | 'empty' | 'refuse' | 'filter' | 'endless' | 'too_long' | 'no_usage' }

export const faultNames = [
  'cut',
  'hang',
  'broken',
  'empty',
  'refuse',
  'filter',
  'endless',
  'too_long',
  'no_usage',
] as const

export const reply = (fields: Partial<Reply>): Reply => ({
  text: null,
  tool_calls: [],
  fault: null,
  delay_ms: 0,
  piece_ms: 0,
  ...fields,
})
