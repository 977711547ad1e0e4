/** Rate limits of a project. */
import type { Feature } from '../turn/feature.ts'
import { persistWindows } from './persist_windows.ts'
import { refreshLimits } from './refresh_limits.ts'

export const limits = {
  receivers: { persist_windows: persistWindows },
  refreshes: { limits: refreshLimits },
} satisfies Feature
