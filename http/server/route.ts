/**
 * A route is data: everything that decides about a request before its handler runs, and all that a reader of the API
 * wants to know, is said here once. Dispatch, checks, the API description and the MCP tools come from the same table.
 */

import type { Readable } from 'node:stream'
import type * as v from 'valibot'
import type { ErrorCode, Pool, ProjectCommand, Scope } from '../../actors/mod.ts'
import type { Runtime } from '../../runtime/mod.ts'
import type { Database, LiveSession } from '../../storage/mod.ts'
import type { AddressRate } from './address_limits.ts'
import type { Violation } from './api_error.ts'
import type { Download } from './download.ts'
import type { Operation, Outcome } from './operation.ts'
import type { Stranger } from './stranger.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export type Route = {
  method: Method
  /** Segments that begin with `:` are parameters. */
  path: string
  /** snake_case; also the name of the MCP tool. */
  operation: string
  summary: string
  /**
   * Who asks: the bearer of an access token or of the operator's key, an agent who is signed in to the console, or anybody.
   * The project of an agent's request is `:project_id` of its path, and has to be one of the agent's company.
   */
  auth: 'token' | 'operator' | 'agent' | 'none'
  /** Asked by pages of the console alone: from elsewhere only reads are answered. All routes of agents are. */
  of_console?: boolean
  scope?: Scope
  /** The rate budget it draws on. Default `shared`. */
  pool?: Pool
  /** Stands for all that no route takes. It does no work, and a body that comes with the request is nothing to it. */
  is_nowhere?: boolean
  /** Counted for the client's address under this kind, before anything else; beyond its bound the answer is 429. */
  counted_as?: AddressRate
  /** The same for requests that are answered 401 or 403. Of requests without a known token these are `unauthenticated`. */
  refusals_counted_as?: AddressRate
  /** The parameter for each value of which these count apart: a provider calls for all its customers from a few addresses. */
  refusals_counted_by?: string
  /** May be reached without TLS in production (probes of a load balancer). */
  plain_http?: boolean
  /**
   * The form of each path parameter; anything else names nothing and is answered `missing`. Where a pattern ignores
   * case, the handler gets the parameter in lower case.
   */
  params?: Record<string, RegExp>
  /** The 404 code of this resource. Default `NOT_FOUND`. */
  missing?: ErrorCode
  /** Gets the query as text to text. Without it any parameter is refused. */
  query?: v.GenericSchema
  /** Without it a body other than `{}` is refused. */
  body?: v.GenericSchema
  /** Most bytes of the body. Default 1 MiB, or 8 KiB of what anybody may send. */
  body_limit?: number
  /** Violations of the body named in one answer. Default 100. */
  most_violations?: number
  /** The status of success. */
  status: number
  response?: v.GenericSchema
  /**
   * Which version of the record the answer shows. It goes out as `ETag`; `If-None-Match` is answered here, `If-Match` as
   * well where the route reads, and a command gets it as `input.if_match` to check it in its turn.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the answer of the route itself
  versioned?: (answer: any) => number
  /** Codes beyond those that any route of its kind can answer. */
  errors?: ErrorCode[]
} & Handler

/** Exactly one of these. */
type Handler =
  | {
      /** Runs inside the project actor, in the same ask as admission. May throw `Refusal`. */
      command: (input: Input, context: RequestContext) => ProjectCommand
      read?: undefined
      change?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
    }
  | {
      /**
       * Looks and changes nothing, for GET. Runs on this node: after admission with a token, else at once. May throw `Refusal`, and
       * answer `ResponseWithHeaders`.
       */
      read: (input: Input, context: RequestContext) => Promise<unknown> | unknown
      change?: undefined
      command?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
    }
  | {
      /**
       * Changes what is stored outside of the project's turns, for all methods but GET. Runs, throws and answers as `read`. Unless
       * anybody may ask for it, it is answered only when the database kept its history meanwhile (`one_history.ts`).
       */
      change: (input: Input, context: RequestContext) => Promise<unknown> | unknown
      read?: undefined
      command?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
    }
  | {
      /** Works at a provider on this node, after admission with a token. May throw `Refusal` and `UpstreamFailure`. */
      act: (input: Input, context: RequestContext, operation: Operation) => Promise<Outcome>
      /** Takes the body, which is no JSON, as it arrives; `act` then gets what it made of it as `input.body`. */
      form?: (incoming: IncomingForm) => Promise<ReceivedForm>
      download?: undefined
      command?: undefined
      read?: undefined
      change?: undefined
      raw?: undefined
    }
  | {
      /** Answers with a file. Runs on this node: after admission with a token, else at once. May throw as `act` may. */
      download: (input: Input, context: RequestContext) => Promise<Download>
      command?: undefined
      read?: undefined
      change?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
    }
  | {
      /** Takes the bytes as they came and answers in its own shape; nothing is parsed or validated. */
      raw: (request: RawRequest, context: RequestContext) => Promise<RawAnswer> | RawAnswer
      command?: undefined
      read?: undefined
      change?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
    }

export type IncomingForm = { body: Readable; content_type: string }

export type ReceivedForm =
  | { violations: Violation[] }
  /** `identity`: the same for the same request. `discard` is called when no work for the request goes on any more. */
  | { value: unknown; identity: string; discard: () => unknown }

/** What the client sent, parsed and valid for the route's schemas. */
export type Input = {
  params: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: the route's own schema says what it is
  query: any
  // biome-ignore lint/suspicious/noExplicitAny: the route's own schema says what it is
  body: any
  /** Of a route with versions: those of which the record must have one. Undefined when any will do. */
  if_match?: string[] | undefined
}

/**
 * Who asks, and with what the answer is found. Ids are empty where they say nothing: all without an access token or a
 * session, that of the token with a session.
 */
export type RequestContext = {
  company_id: string
  project_id: string
  token_id: string
  user_id: string
  request_id: string
  database: Database
  runtime: Runtime
  /** Of an agent. */
  session?: LiveSession | undefined
  /** Of a request of the console. */
  page?: PageCall | undefined
  /** For a request that anybody may send and that is not answered at once. */
  stranger?: Stranger | undefined
}

export type PageCall = {
  /** Where it comes from, as far as trusted proxies tell. */
  address: string
  /** Of the session that its cookie shows, whether there is such a session or not. */
  session_hash: string | undefined
  /** Browsers reach us over TLS alone. */
  is_secure: boolean
}

export type RawRequest = {
  method: string
  params: Record<string, string>
  /** Names in lower case. */
  headers: Record<string, string>
  query: string
  body: Uint8Array
}

export type RawAnswer = {
  status: number
  body: string | Uint8Array
  content_type?: string | undefined
  /** Further ones, written as they are: never anything out of a request. */
  headers?: Readonly<Record<string, string>> | undefined
}
