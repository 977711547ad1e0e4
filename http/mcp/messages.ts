/**
 * The messages of JSON-RPC 2.0 as the API's description shows them. The library of the protocol checks what arrives; clients
 * of the protocol bring types of their own, so the members of a call are not repeated here.
 */
import * as v from 'valibot'
import { dictionary, named } from '../../actors/mod.ts'

const version = v.literal('2.0')
const id = v.union([v.string(), v.number()])

export const rpcRequest = named(
  'JsonRpcRequest',
  v.looseObject({
    jsonrpc: version,
    id: v.optional(v.pipe(id, v.description('Left out of a notification, which is answered 202'))),
    method: v.pipe(v.string(), v.description('A method of the protocol, such as tools/list or tools/call')),
    params: v.optional(dictionary(v.unknown())),
  }),
)

export const rpcAnswer = named(
  'JsonRpcAnswer',
  v.object({
    jsonrpc: version,
    id: v.optional(v.pipe(v.nullable(id), v.description('That of the request; null where it could not be read'))),
    result: v.optional(v.pipe(dictionary(v.unknown()), v.description('An error of a tool is a result with isError'))),
    error: v.optional(
      v.object({
        code: v.pipe(v.number(), v.integer(), v.description('A code of JSON-RPC or of the protocol, such as -32601')),
        message: v.string(),
        data: v.optional(v.unknown()),
      }),
    ),
  }),
)

/** The errors of the protocol itself, by status, each with its code of JSON-RPC and its meaning. */
export const rpcErrors = {
  400: { code: -32_600, message: 'The body is no message of the protocol, or of a revision that is not spoken.' },
  403: { code: -32_600, message: 'The Origin is not one of this server.' },
  404: { code: -32_601, message: 'The method is not one of the protocol.' },
  406: { code: -32_000, message: 'The client accepts neither JSON nor server-sent events.' },
} as const
