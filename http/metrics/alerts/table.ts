/** All alerts. */
import type { Alert, AlertGroup } from './alert.ts'
import { ENGINE_ALERTS } from './engine_alerts.ts'
import { NODES, REQUEST } from './node_alerts.ts'
import { ASSISTANTS, MESSAGES } from './work_alerts.ts'

/** In the order of the runbook. */
export const ALERT_GROUPS: readonly AlertGroup[] = [NODES, REQUEST, MESSAGES, ENGINE_ALERTS, ASSISTANTS]

export const ALERTS: Readonly<Record<string, Alert>> = Object.assign({}, ...ALERT_GROUPS.map(({ alerts }) => alerts))
