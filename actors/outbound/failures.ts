/** The reason for which the guard refuses an address or a URL. */
export type GuardCode = 'url_invalid' | 'url_scheme' | 'url_credentials' | 'address_forbidden' | 'quiet'

/** The guard refused to make a connection. */
export class Refused extends Error {
  readonly code: GuardCode

  constructor(code: GuardCode, message: string) {
    super(message)
    this.name = 'Refused'
    this.code = code
  }
}

/** The operator's proxy did not make a connection. The text reveals nothing about the proxy, because users may read it. */
export class ProxyFailed extends Error {
  /** The proxy works, but could not reach this one address. */
  readonly is_unreachable: boolean

  constructor(message: string, is_unreachable = false) {
    super(message)
    this.name = 'ProxyFailed'
    this.is_unreachable = is_unreachable
  }
}
