import type { ProjectLimits } from '../../../storage/mod.ts'
import { addresses } from './addresses.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'
import { services } from './services.ts'
import type { Setting } from './setting.ts'

/** Every setting, declared once, in the order of the reference page. */
export const settings = { ...addresses, ...limits, ...services, ...operation }

export type Config = {
  [Key in keyof typeof settings]: (typeof settings)[Key] extends Setting<infer Value> ? Value : never
}

/** The limits of projects whose record sets no others. */
export function limitsOf({ limit_minute, limit_hour, limit_day, limit_ingest_minute }: Config): ProjectLimits {
  return { minute: limit_minute, hour: limit_hour, day: limit_day, ingest_minute: limit_ingest_minute }
}
