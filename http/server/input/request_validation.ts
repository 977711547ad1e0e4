/**
 * Collects the errors of a request. They are reported once the caller is admitted; a valid request becomes the input of
 * the route.
 */
import type { ProjectCommand } from '../../../actors/mod.ts'
import { type ApiError, apiErrorOf, invalid, type Violation } from '../errors/api_error.ts'
import { parseQuery, useNamesOfNow, withKnownParameters } from '../parse/query.ts'
import { check } from '../parse/validation.ts'
import type { CompiledRoute } from '../route/compiled_route.ts'
import type { Input, RequestContext, Route } from '../route/route.ts'
import { lowerPathIds } from './path_ids.ts'
import { type BodyHeaders, readBody } from './request_body.ts'

const NO_QUERY = Object.freeze({})

export class RequestValidation {
  readonly input: Input
  /** The valid body as it was sent. */
  json: unknown
  /** Moment of the first deprecation among the names that the query uses. */
  deprecated_at: Date | undefined
  readonly #compiled_route: CompiledRoute
  #violations: Violation[] | undefined
  #problem: ApiError | undefined
  #fault: { error: unknown } | undefined

  constructor(compiled_route: CompiledRoute, params: Record<string, string>) {
    this.#compiled_route = compiled_route
    this.input = { params: lowerPathIds(params, compiled_route.route.params), query: NO_QUERY, body: undefined }
  }

  /** Sets the error that takes precedence over all others. */
  found(problem: ApiError) {
    this.#problem = problem
  }

  /**
   * Runs a part of the validation. An error it throws is a fault of ours, and is reported only once the caller is
   * admitted: before that the caller alone decides the answer.
   */
  attempt(part: () => void) {
    try {
      part()
    } catch (error) {
      this.#fault ??= { error }
    }
  }

  note(violations: Violation[]) {
    if (violations.length === 0) return
    this.#violations = this.#violations === undefined ? violations : this.#violations.concat(violations)
  }

  checkQuery(text: string | undefined) {
    const empty = text === undefined || text === ''
    if (empty && this.#compiled_route.route.query === undefined) return
    const { value, violations } = parseQuery(text ?? '')
    this.note(violations)
    const { route, query, former_names } = this.#compiled_route
    const former = useNamesOfNow(value, former_names)
    this.note(former.violations)
    const moments = [...former.sent.values()].map((name) => former_names.get(name)!.at.getTime())
    if (moments.length > 0) this.deprecated_at = new Date(Math.min(...moments))
    const checked = check(query, value)
    if (!('violations' in checked)) this.input.query = checked.value
    else {
      const named = checked.violations.map((one) => ({ ...one, path: former.sent.get(one.path) ?? one.path }))
      this.note(withKnownParameters(named, route.query))
    }
  }

  checkBody(bytes: Uint8Array, headers: BodyHeaders) {
    const read = readBody(this.#compiled_route, bytes, headers)
    if ('problem' in read) this.#problem = read.problem
    else if ('violations' in read) this.note(read.violations)
    else {
      this.input.body = read.value
      this.json = read.json
    }
  }

  /** The command of a valid request. The route may refuse to make one; that error waits for admission too. */
  commandOf(make: NonNullable<Route['command']>, context: RequestContext): ProjectCommand | undefined {
    let command: ProjectCommand | undefined
    this.attempt(() => {
      try {
        command = make(this.input, context)
      } catch (error) {
        const problem = apiErrorOf(error)
        if (problem === undefined) throw error
        this.found(problem)
      }
    })
    return command
  }

  /** True when the request can become a command or a read. */
  get is_clean(): boolean {
    return this.#fault === undefined && this.#wrong() === undefined
  }

  /**
   * The first error in the order of the checks: the request's form, then whether its path names anything.
   * @throws the error that a part of the validation threw
   */
  verdict(): ApiError | undefined {
    if (this.#fault !== undefined) throw this.#fault.error
    return this.#wrong()
  }

  #wrong(): ApiError | undefined {
    if (this.#problem !== undefined) return this.#problem
    if (this.#violations !== undefined) this.#problem = invalid(this.#violations)
    else if (!this.namesSomething()) this.#problem = { code: this.#compiled_route.route.missing ?? 'NOT_FOUND' }
    return this.#problem
  }

  namesSomething(): boolean {
    const { params, route } = this.#compiled_route
    for (const name of params) if (route.params?.[name]?.test(this.input.params[name]!) === false) return false
    return true
  }
}
