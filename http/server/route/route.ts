/**
 * A route is data: everything that decides about a request before its handler runs, and everything that readers of the
 * API want to know, is declared here once. Dispatch and checks come from the same table. One file: a route
 * is one type, and most lines describe its fields.
 */

import type { Readable } from 'node:stream'
import type * as v from 'valibot'
import type { CommandAnswering, ErrorCode, Pool, Scope } from '../../../actors/mod.ts'
import type { Cause, Runtime } from '../../../runtime/mod.ts'
import type { Database, LiveSession, OperatorRole, Origin } from '../../../storage/mod.ts'
import type { Operation, Outcome } from '../changes/operation.ts'
import type { RequestKey } from '../changes/request_key.ts'
import type { Violation } from '../errors/api_error.ts'
import type { Download } from '../files/download.ts'
import type { AddressRate } from '../limits/address_limits.ts'
import type { UnknownSender } from '../limits/unknown_sender.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export type Route = RouteFacts & Handler<Input>

/** All of a route but its handler. */
export type RouteFacts = {
  method: Method
  /** Segments that begin with `:` are parameters. */
  path: string
  /** snake_case; also the name of the MCP tool. */
  operation: string
  summary: string
  /** Sentences for the description beyond the summary, the scope, the limits and the errors, which it has anyway. */
  description?: string
  /** The heading under which the description has it. Routes without one are not described. */
  section?: Section
  /** Values that a client could send. They are replayed in the tests. */
  example?: Example
  /**
   * The required caller: the bearer of an access token or of the operator's key, an agent who is signed in to the
   * console, or none. The project of an agent's request is `:project_id` of its path, and has to be one of the agent's
   * company.
   */
  auth: 'token' | 'operator' | 'agent' | 'none'
  /** For pages of the console only: from elsewhere only reads are answered. Holds for all routes of agents. */
  of_console?: boolean
  scope?: Scope
  /** The permission that an agent needs beside `console.agent`. */
  permission?: string
  /** On routes of agents that change something: draws on the limit of this kind instead of that of changes. */
  agent_rate?: 'draft'
  /** The role that an operator needs. Default: `read` where the route reads, else `admin`. */
  role?: OperatorRole
  /**
   * The change is recorded for the audit, with the client address. Set where a token changes the configuration, and
   * where the service acts on a report; operators and agents are recorded on all routes.
   */
  audited?: true
  /** Its work begins something outside of the cluster: it is refused with 503 while the cluster is quiet. */
  outside?: true
  /** Milliseconds of its work, where that may last longer than the calls of a provider for other routes. */
  lasts_ms?: number
  /** Its answer is not kept for repeats, so a key for them is ignored. */
  keeps_nothing?: true
  /** May wait for news, up to half a minute: the request has places of its own. */
  waits?: true
  /** The rate budget it draws on. Default `shared`. */
  pool?: Pool
  /** Stands for all unknown paths. It does no work and ignores the body. */
  is_nowhere?: boolean
  /** Counts requests for the client's address under this kind, before anything else; beyond its limit the answer is 429. */
  counted_as?: AddressRate
  /** The same for requests that are answered 401 or 403. Requests without a known token count as `unauthenticated`. */
  refusals_counted_as?: AddressRate
  /** Counts these separately for each value of this parameter: a provider calls for all its customers from a few addresses. */
  refusals_counted_by?: string
  /** On raw routes: false for headers that no genuine sender sends. The answer is 401 then, and the body is not read. */
  isPlausible?: (headers: Record<string, string>) => boolean
  /** May be reached without TLS in production (probes of a load balancer). */
  plain_http?: boolean
  /**
   * Pattern of each path parameter; a value that does not match names nothing and is answered `missing`. Where a
   * pattern ignores case, the handler gets the parameter in lower case.
   */
  params?: Record<string, RegExp>
  /** The 404 code of this resource. Default `NOT_FOUND`. */
  missing?: ErrorCode
  /** Validates the query as text to text. Without a schema any parameter is refused. */
  query?: v.GenericSchema
  /** Validates the body. Without a schema a body other than `{}` is refused. On routes that `serve` it is described alone. */
  body?: v.GenericSchema
  /**
   * Checks a body that is valid otherwise, for work that the event loop must not do: what a tenant writes is compiled in
   * threads. Runs when the project would admit the request; undefined when there is nothing to check.
   */
  examine?(body: unknown, context: RequestContext): Promise<Violation[]> | undefined
  /** A request without a body counts as `{}`. */
  optional_body?: true
  /** Maximum bytes of the body. Default 1 MiB, or 8 KiB on open routes. */
  body_limit?: number
  /** Maximum violations of the body in one answer. Default 100. */
  max_violations?: number
  /** Status of success. */
  status: number
  response?: v.GenericSchema
  /** Further statuses of success, with their response. */
  other_statuses?: Readonly<Record<number, string>>
  /** Headers of a success beyond those of every route of its kind. */
  response_headers?: readonly ('ETag' | 'Idempotent-Replayed')[]
  /** Headers of a request beyond those of every route of its kind. */
  request_headers?: readonly string[]
  /** May answer with server-sent events instead of JSON. */
  streams?: true
  /** Errors in the route's own format, by status, beside those of the API. */
  own_errors?: Readonly<Record<number, { code: number; message: string }>>
  /** Media type of a download, or of the answer of a raw route. Default `application/octet-stream`. */
  response_type?: string
  /** False for a download whose versions cannot be told apart. */
  has_etag?: false
  /** The fields of a form beside its `file`. */
  form_fields?: v.GenericSchema
  /**
   * Version of the record in the answer. It is sent as `ETag`. `If-None-Match` is answered here, and `If-Match` too
   * where the route reads; a command gets it as `input.if_match` to check it in its turn.
   */
  versioned?(answer: unknown): number
  /** Checks `input.if_match` although its answer shows no record: a deletion. */
  takes_if_match?: true
  /** Its answer has a secret, which is sealed where it is kept for repeats. */
  answers_secret?: true
  /** Codes in addition to those that any route of its kind can answer. */
  errors?: ErrorCode[]
}

/** A heading of the description. */
export type Section = { name: string; description: string }

export type Example = {
  query?: Record<string, string>
  body?: unknown
}

type ParamsIn<In> = In extends { params: infer Params } ? Params : never

/** Exactly one of these is set. `In`: the input of the handler; `Form`: the value of the form that it takes. */
export type Handler<In, Form = unknown, Answer = unknown> =
  | {
      /** Runs inside the project actor, in the same ask as admission. May throw `Refusal`. */
      command: (input: In, context: RequestContext) => CommandAnswering<Answer>
      read?: undefined
      change?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
      serve?: undefined
    }
  | {
      /**
       * Looks and changes nothing, for GET, and for POST where the question does not fit into a query. Runs on this node: after admission with a token, else at once. May throw `Refusal`, and
       * answer `ResponseWithHeaders`.
       */
      read: (input: In, context: RequestContext) => Promise<Answer> | Answer
      change?: undefined
      command?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
      serve?: undefined
    }
  | {
      /**
       * Changes what is stored outside of the project's turns, for all methods but GET. Runs, throws and answers as `read`. Unless
       * anybody may ask for it, it is answered only when the database kept its history meanwhile (`history_guard.ts`).
       */
      change: (input: In, context: RequestContext) => Promise<Answer> | Answer
      read?: undefined
      command?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
      serve?: undefined
    }
  | {
      /** Works at a provider on this node, after admission with a token. May throw `Refusal` and `UpstreamFailure`. */
      act: (input: In, context: RequestContext, operation: Operation) => Promise<Outcome>
      /** Takes a body that is not JSON, as it arrives; `act` then gets the result as `input.body`. */
      form?: (incoming: IncomingForm) => Promise<ReceivedForm<Form>>
      download?: undefined
      command?: undefined
      read?: undefined
      change?: undefined
      raw?: undefined
      serve?: undefined
    }
  | {
      /** Answers with a file. Runs on this node: after admission with a token, else at once. May throw as `act` may. */
      download: (input: In, context: RequestContext) => Promise<Download>
      command?: undefined
      read?: undefined
      change?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
      serve?: undefined
    }
  | {
      /** Takes the raw bytes and answers in its own format; nothing is parsed or validated. */
      raw: (request: RawRequest<ParamsIn<In>>, context: RequestContext) => Promise<RawAnswer> | RawAnswer
      command?: undefined
      read?: undefined
      change?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
      serve?: undefined
    }
  | {
      /**
       * Takes the bytes of a JSON body and answers in its own format, in one piece or in many. Runs on this node, after
       * admission with a token.
       */
      serve: (request: ServedRequest, context: RequestContext) => Promise<Response>
      command?: undefined
      read?: undefined
      change?: undefined
      raw?: undefined
      act?: undefined
      form?: undefined
      download?: undefined
    }

export type IncomingForm = { body: Readable; content_type: string }

export type ReceivedForm<Form = unknown> =
  | { violations: Violation[] }
  /** `identity`: the same for the same request. `discard` is called when all work for the request has ended. */
  | { value: Form; identity: string; discard: () => unknown }

/** The client's input, parsed and valid for the route's schemas. */
export type Input = {
  params: Record<string, string>
  query: unknown
  body: unknown
  /** On a route with versions: the versions of which the record must have one. Undefined when any will do. */
  if_match?: string[] | undefined
}

/**
 * The caller, and the services that compute the answer. Ids are empty where they do not apply: all without an access
 * token or a session, the token's with a session.
 */
export type RequestContext = {
  company_id: string
  project_id: string
  token_id: string
  user_id: string
  request_id: string
  /** The cause of what the request has done; the messages of `runtime` carry it. */
  cause: Cause
  /** The caller and the operation, for the audit of a change. */
  origin: Origin | undefined
  /** Its named transactions write audit entries of `origin`. */
  database: Database
  runtime: Runtime
  /** The idempotency key of a change, on routes of operators. */
  key?: RequestKey | undefined
  /** The session of an agent. */
  session?: LiveSession | undefined
  /** The page of a console request. */
  page?: PageCall | undefined
  /** For requests that anyone may send and that are not answered at once. */
  stranger?: UnknownSender | undefined
}

export type PageCall = {
  /** The client address, as reported by trusted proxies. */
  address: string
  /** The hash of the session in the cookie, whether that session exists or not. */
  session_hash: string | undefined
  /** The user whom the page shows, where it says so. The session may be that of somebody who signed in since. */
  user_id: string | undefined
  /** Browsers reach us over TLS only. */
  is_secure: boolean
}

export type RawRequest<Params = Record<string, string>> = {
  method: string
  params: Params
  /** Names in lower case. */
  headers: Record<string, string>
  query: string
  body: Uint8Array
}

export type ServedRequest = {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  /** Aborted when the client leaves. */
  signal: AbortSignal
  /** Calls another route for the same caller. */
  call: CallRoute
}

/** Calls a route in this process: the same checks as for a request over the network, with the same bearer. */
export type CallRoute = (route: Route, request: InnerRequest) => Promise<InnerAnswer>

export type InnerRequest = {
  /** Path with its parameters filled in, percent-encoded. */
  path: string
  params: Record<string, string>
  /** Without the question mark. */
  query?: string | undefined
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>> | undefined
  body?: Uint8Array | undefined
  /** Id of the request in the log, the audit and the answer. */
  request_id?: string | undefined
  /** Checks token, scope, path, query and body as for any request, and does nothing: the answer is 204 or a refusal. */
  only_checks?: boolean
}

export type InnerAnswer = {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: Uint8Array
}

export type RawAnswer = {
  status: number
  body: string | Uint8Array
  content_type?: string | undefined
  /** Further headers, written as they are: never with text of a request. */
  headers?: Readonly<Record<string, string>> | undefined
}
