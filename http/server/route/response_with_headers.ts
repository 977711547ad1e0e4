/** An answer of a route's `read` with headers beside the body. */
export class ResponseWithHeaders {
  readonly body: unknown
  /** Whole lines, each ended, never with text of a request. */
  readonly headers: string

  constructor(body: unknown, headers: string) {
    this.body = body
    this.headers = headers
  }
}
