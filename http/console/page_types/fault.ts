/** What went wrong, for people. `code` and `status` are there when the server said so, or when it could not be asked. */
export type Fault = {
  message: string
  code?: string | undefined
  /** Of HTTP; 0 without an answer. */
  status?: number | undefined
  retry_after_s?: number | undefined
}

/** The body of a refusal. */
export type ErrorBody = { error: { code: string; message: string; details?: unknown } }
