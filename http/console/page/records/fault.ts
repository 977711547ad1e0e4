/** An error shown to people. `code` and `status` are set when the server answered with an error or could not be reached. */
export type Fault = {
  message: string
  code?: string | undefined
  /** HTTP status; 0 without an answer. */
  status?: number | undefined
  retry_after_s?: number | undefined
}

/** The body of a refusal. */
export type ErrorBody = { error: { code: string; message: string; details?: unknown } }
