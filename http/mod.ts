/** The door of the room that clients speak to. */
export type { Input, RawAnswer, RawRequest, RequestContext, Route } from './route.ts'
export type { Readiness } from './routes/operations.ts'
export type { ProviderHook } from './routes/providers.ts'
export { type ApiHooks, apiRoutes } from './routes/table.ts'
export { type HttpConfig, type HttpOptions, HttpServer } from './server.ts'
