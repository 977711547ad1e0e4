import type { Route, Section } from './route.ts'

/** Puts routes under one heading of the API's description. */
export function section(name: string, description: string, routes: readonly Route[]): Route[] {
  const heading: Section = { name, description }
  return routes.map((route) => ({ ...route, section: heading }))
}
