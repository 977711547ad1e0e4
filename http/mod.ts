/** The door of the room that clients speak to. */

export type { ProviderHook } from './routes/providers/providers.ts'
export { type ApiHooks, apiRoutes } from './routes/table.ts'
export type { Readiness } from './server/probes.ts'
export type { Input, RawAnswer, RawRequest, RequestContext, Route } from './server/route/route.ts'
export { type HttpConfig, type HttpOptions, HttpServer } from './server/server.ts'
