import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** The JSON-RPC error -32602. */
export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data)
}
