/** What a route's `read` answers with when there is more to say than the body. */
export class ResponseWithHeaders {
  readonly body: unknown
  /** Whole lines, each ended, and never anything out of a request. */
  readonly headers: string

  constructor(body: unknown, headers: string) {
    this.body = body
    this.headers = headers
  }
}
