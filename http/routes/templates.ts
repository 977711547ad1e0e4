import type { Route } from '../route.ts'

export const templateRoutes: Route[] = []
