/** Why the guard refuses an address or a URL. */
export type GuardCode = 'url_invalid' | 'url_scheme' | 'url_credentials' | 'address_forbidden'

/** The guard refused to make a connection. */
export class Refused extends Error {
  readonly code: GuardCode

  constructor(code: GuardCode, message: string) {
    super(message)
    this.name = 'Refused'
    this.code = code
  }
}
