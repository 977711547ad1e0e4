/** How many requests a project may make. */
import type { Feature } from '../turn/feature.ts'
import { persistWindows } from './persist_windows.ts'
import { refreshLimits } from './refresh_limits.ts'

export const limits = {
  receivers: { persist_windows: persistWindows },
  refreshes: { limits: refreshLimits },
} satisfies Feature
