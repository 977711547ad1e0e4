/**
 * Finds the caller of a request from its headers.
 *
 * Headers are read before the handler of uWebSockets.js returns; the bearer of a token or a session has to be looked
 * up.
 */
import type * as uWS from 'uWebSockets.js'
import { type Cause, causedBy } from '../../../runtime/mod.ts'
import { actingFor, type LiveSession, type Operator, type Origin } from '../../../storage/mod.ts'
import { isOwnPage, pageCallOf } from '../auth/page_call.ts'
import type { Caller } from '../auth/token_cache.ts'
import type { BodyOwner } from '../body/body.ts'
import type { ApiError } from '../errors/api_error.ts'
import type { AddressRate, AddressRefusal } from '../limits/address_limits.ts'
import type { WorkHolder } from '../limits/concurrency_limiter.ts'
import { UnknownSender } from '../limits/unknown_sender.ts'
import type { CompiledRoute } from '../route/compiled_route.ts'
import type { PageCall, RequestContext } from '../route/route.ts'
import type { ServerContext } from '../server_context.ts'

export class Authenticator {
  readonly #server: ServerContext
  readonly #compiled_route: CompiledRoute
  #authorization = ''
  /** Undefined until the caller is known, and on routes without callers: open ones and the operator's. */
  caller: Caller | undefined
  /** On routes of operators, as soon as the operator is known. */
  operator: Operator | undefined
  session: LiveSession | undefined
  page: PageCall | undefined
  #address: string | undefined
  /** The kind under which a refusal counts for the address. */
  #refused_as: AddressRate | undefined
  /** The name under which it counts: the address, perhaps with a path parameter. */
  #refused_at: string | undefined

  constructor(server: ServerContext, compiled_route: CompiledRoute) {
    this.#server = server
    this.#compiled_route = compiled_route
  }

  /** The error that the headers alone lead to, whatever the request asks. `is_secure`: plain HTTP is allowed, or this is none. */
  refusal(response: uWS.HttpResponse, request: uWS.HttpRequest, is_secure: boolean): ApiError | undefined {
    const { pages } = this.#server
    const { route, of_console, reads_body } = this.#compiled_route
    if (!is_secure && !route.plain_http) return { code: 'HTTPS_REQUIRED' }
    if (of_console) {
      if (reads_body && !isOwnPage((name) => request.getHeader(name))) return { code: 'ORIGIN_NOT_ALLOWED' }
      this.page = pageCallOf(pages, response, request)
      this.#address = this.page.address
    }
    return this.#isPlausible(response, request) ? undefined : { code: 'UNAUTHENTICATED' }
  }

  #isPlausible(response: uWS.HttpResponse, request: uWS.HttpRequest): boolean {
    const { auth, audited } = this.#compiled_route.route
    if (auth === 'none') return true
    if (auth === 'agent') return this.page!.session_hash !== undefined
    if (auth === 'operator' || audited) this.noteAddress(response, request)
    this.#authorization = request.getHeader('authorization')
    if (auth === 'operator') {
      this.operator = this.#server.operators.known(this.#authorization)
      return this.operator !== undefined || this.#server.operators.plausible(this.#authorization)
    }
    this.caller = this.#server.tokens.known(this.#authorization)
    return this.caller !== undefined || this.#server.tokens.plausible(this.#authorization)
  }

  /** Limits unauthenticated callers by their address, before any look-up. */
  excess(
    response: uWS.HttpResponse,
    request: uWS.HttpRequest,
    is_refused: boolean,
    params: Record<string, string>,
  ): AddressRefusal | undefined {
    const { limits } = this.#server
    const { counted_as, refusals_counted_as, refusals_counted_by, auth } = this.#compiled_route.route
    const is_known = !is_refused && (auth === 'none' || this.is_known)
    this.#refused_as = refusals_counted_as ?? (is_known ? undefined : 'unauthenticated')
    if (counted_as === undefined && this.#refused_as === undefined) return undefined
    const address = this.noteAddress(response, request)
    this.#refused_at = refusals_counted_by === undefined ? address : `${params[refusals_counted_by]} ${address}`
    const excess = counted_as && limits.take(address, counted_as)
    return excess ?? (this.#refused_as && limits.look(this.#refused_at, this.#refused_as))
  }

  /** Counts an answer of 401 or 403. */
  countRefusal(): void {
    if (this.#refused_as !== undefined) this.#server.limits.take(this.#refused_at!, this.#refused_as)
  }

  /** Notes and returns the client address; call before the handler of uWebSockets.js returns. */
  noteAddress(response: uWS.HttpResponse, request: uWS.HttpRequest): string {
    this.#address ??= this.#server.pages.clientAddress(response, request)
    return this.#address
  }

  /** Undefined when the address was not noted. */
  get stranger(): UnknownSender | undefined {
    return this.#address === undefined ? undefined : new UnknownSender(this.#server.limits, this.#address)
  }

  /** True when no look-up is needed any more to know the caller. */
  get is_known(): boolean {
    return this.caller !== undefined || this.operator !== undefined
  }

  /** The owner of the body's memory. A token or key counts only once it was looked up. */
  get owner(): BodyOwner {
    const token = this.operator ? 'operator' : this.#bearer
    return { address: this.#address, token }
  }

  /** Undefined when it was not noted. */
  get address(): string | undefined {
    return this.#address
  }

  /** For whom a place counts: the token or the agent, else the address where it is known. */
  get holder(): WorkHolder {
    return { tenant: this.caller?.company_id, name: this.#bearer ?? this.#address, address: this.#address }
  }

  /** The token, or the user of a session. */
  get #bearer(): string | undefined {
    return this.caller && (this.caller.token_id || this.caller.user_id)
  }

  /**
   * Looks up the bearer of the token, the operator or the agent. Resolves to false when there is none.
   * @throws {TooManyFromAddress}
   */
  async find(params: Record<string, string>): Promise<boolean> {
    const { tokens, operators, findSession } = this.#server
    const { auth } = this.#compiled_route.route
    // Others from the same address may have failed while this look-up waited for its place.
    const check = () => this.stranger?.check('unauthenticated')
    if (auth === 'token') this.caller = await tokens.find(this.#authorization, check)
    else if (auth === 'operator') this.operator = await operators.find(this.#authorization)
    else {
      const session = await findSession(this.page!.session_hash!, params.project_id, check)
      if (session === undefined || !isUserOf(this.page!, session)) return false
      this.session = session
      const { company_id, user_id, project_id } = session
      this.caller = { company_id, project_id, user_id, token_id: '', address: `project/${project_id}` }
    }
    return this.is_known
  }

  /** The context with which the route computes its answer. */
  contextOf(request_id: string, cause: Cause): RequestContext {
    const runtime = causedBy(this.#server.runtime, cause)
    const { caller, session, page, stranger } = this
    const { company_id = '', project_id = '', token_id = '', user_id = '' } = caller ?? {}
    const origin = this.originOf(request_id)
    const database = origin ? actingFor(this.#server.database, origin) : this.#server.database
    return {
      company_id,
      project_id,
      token_id,
      user_id,
      request_id,
      cause,
      origin,
      database,
      runtime,
      session,
      page,
      stranger,
    }
  }

  /** The caller and the operation, for the audit of a change; undefined where none is recorded. */
  originOf(request_id: string): Origin | undefined {
    const { auth, method, operation, audited } = this.#compiled_route.route
    if (method === 'GET' || ((auth === 'none' || auth === 'token') && !audited)) return undefined
    const request = { address: this.#address ?? null, request_id, action: operation }
    if (auth === 'none') return { actor_kind: 'system', actor_id: null, actor_name: null, ...request }
    if (auth === 'operator') {
      const { id, name } = this.operator!
      return { actor_kind: 'operator', actor_id: id, actor_name: name, ...request }
    }
    if (auth === 'token') return { actor_kind: 'token', actor_id: this.caller!.token_id, actor_name: null, ...request }
    const { user_id, user_name } = this.session!
    return { actor_kind: 'user', actor_id: user_id, actor_name: user_name, ...request }
  }
}

/** False for the page of another user, who was signed in with this browser before. */
function isUserOf({ user_id }: PageCall, session: LiveSession): boolean {
  return user_id === undefined || user_id === session.user_id
}
