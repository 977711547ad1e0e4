/** The descriptions of the APIs, as a node has them. */

import { mcpRoute } from '../../http/mcp/mcp_route.ts'
import { type ApiName, documentOf } from '../../http/openapi/apis.ts'
import type { Document } from '../../http/openapi/document.ts'
import { openapiRoutes } from '../../http/openapi/routes.ts'
import type { Route } from '../../http/server/route/route.ts'
import { silentLog } from '../../runtime/mod.ts'
import { allRoutes } from './hostile/routes.ts'
import { descriptionsDirectory, preparedDocument } from './prepared_descriptions.ts'

export { apiNames } from './prepared_descriptions.ts'

/** The address of the service in descriptions that no node serves. */
export const DESCRIBED_URL = 'https://parley.invalid'

/** The description of the last release. */
export function releasedFile(name: ApiName): URL {
  return new URL(`../../docs/openapi/${name}.json`, import.meta.url)
}

/** Every route of a node that can be described. */
export function describableRoutes(): Route[] {
  const api = allRoutes()
  const routes = [...api, mcpRoute({ routes: api, base_url: DESCRIBED_URL, log: silentLog }).route]
  return [...routes, ...openapiRoutes(routes, DESCRIBED_URL)]
}

const documents = new Map<ApiName, Document>()

/** Made once in a process, or once in a long run. */
export function described(name: ApiName): Document {
  const document = documents.get(name) ?? preparedOrMade(name)
  documents.set(name, document)
  return document
}

function preparedOrMade(name: ApiName): Document {
  const directory = descriptionsDirectory()
  if (directory !== undefined) return preparedDocument(directory, name)
  return documentOf(name, describableRoutes(), DESCRIBED_URL)
}
