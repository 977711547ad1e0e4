import type * as uWS from 'uWebSockets.js'

/** How a server knows that a client came over TLS, and what it then says. */
export type TlsRules = {
  /** Undefined where the server ends TLS itself, or where plain HTTP is allowed. */
  isSecure?: ((response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean) | undefined
  strict_transport?: boolean | undefined
}

export const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'] as const

/**
 * The header that keeps browsers to TLS for a year, where this answer may have it: RFC 6797 forbids it without TLS. Call it while
 * the request is readable.
 */
export function strictTransport(
  { isSecure, strict_transport }: TlsRules,
  response: uWS.HttpResponse,
  request: uWS.HttpRequest,
): typeof STRICT_TRANSPORT | undefined {
  return strict_transport && (isSecure?.(response, request) ?? true) ? STRICT_TRANSPORT : undefined
}
