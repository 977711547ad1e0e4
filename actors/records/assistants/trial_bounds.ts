/** Bounds of conversations that are tried. Cases that are made of real conversations keep them as well. */
export const trialBounds = {
  /** Characters of a message. */
  text: 8_000,
  fixtures: 100,
  /** Bytes of the arguments, and of the result, of a fixture as JSON. */
  fixture_json: 16_384,
} as const

/** Bounds of test sets. */
export const testSetBounds = {
  /** Characters of the name of a set or of a case. */
  name: 150,
  cases: 200,
  /** Bytes of all cases as JSON. */
  json: 524_288,
  steps: 20,
  /** Messages of one burst. */
  burst: 8,
  /** Tools or texts of one expectation. */
  expected: 20,
} as const
